import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { HELD_READ } from '../../core/capability/held-read.ts';
import { CONTENT_CAPABILITIES } from '../../core/content/built-in.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { calcEval } from './calc.eval.ts';
import { calendarAdd } from './calendar.add.ts';
import { calendarFind } from './calendar.find.ts';
import { CORPUS_CAPABILITIES } from './content.ts';
import { corpusRead } from './corpus.read.ts';
import { corpusSearch } from './corpus.search.ts';
import { csvQuery } from './csv.query.ts';
import { dateShift } from './date.shift.ts';
import { flourForecast } from './flour.forecast.ts';
import { jsonPick } from './json.pick.ts';
import type { Files } from './link.ts';
import { notesGet } from './notes.get.ts';
import { notesPut } from './notes.put.ts';
import { proofSimulate } from './proof.simulate.ts';
import { tableDescribe } from './table.describe.ts';
import { textCount } from './text.count.ts';
import { textDiff } from './text.diff.ts';
import { unitConvert } from './unit.convert.ts';

export type { Files } from './link.ts';

/**
 * Every built-in capability, over these files. A capability carries only its own files, inside its source: its hash,
 * and with it every grant, covers all that it can read. Without files the table, JSON and text capabilities work on
 * their arguments and are `pure`.
 */
export function withFiles(files: Files): readonly CapabilityManifest[] {
  const tables = those(files, (path) => path.endsWith('.csv'));
  const json = those(files, (path) => path.endsWith('.json'));
  const texts = those(files, (path) => path.endsWith('.md'));
  return [
    calcEval,
    unitConvert,
    dateShift,
    csvQuery(tables),
    tableDescribe(tables),
    jsonPick(json),
    textDiff(texts),
    textCount(texts),
    corpusSearch(files),
    corpusRead(files),
    notesGet(those(texts, (path) => path.startsWith('notes/'))),
    notesPut,
    calendarFind(those(json, (path) => path === 'calendar.json')),
    calendarAdd,
    flourForecast(those(json, (path) => path === 'stock.json')),
    proofSimulate,
  ];
}

interface Schemas {
  readonly name: string;
  readonly args: JsonObject;
  readonly result?: JsonObject;
}

/** Schemas of the built-in capabilities: they are the same for any files. */
export const BUILT_IN: readonly Schemas[] = withFiles({}).map(schemasOf);

/**
 * Schemas that are compiled at build time: of the built-in capabilities, and of the operations that the runtime carries
 * out.
 */
export const COMPILED: readonly Schemas[] = [
  ...BUILT_IN,
  ...CORPUS_CAPABILITIES.map(schemasOf),
  ...[...CONTENT_CAPABILITIES, HELD_READ].map(({ manifest }) => schemasOf(manifest)),
];

function schemasOf({ name, args, result }: CapabilityManifest): Schemas {
  return result === undefined ? { name, args } : { name, args, result };
}

function those(files: Files, wanted: (path: string) => boolean): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => wanted(path)));
}
