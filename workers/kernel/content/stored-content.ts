import type { Symbols } from '../../../core/content/symbols.ts';
import type { SymbolRow } from '../../../core/content/target.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { Collector, makePace, pause } from '../../async.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import { pages } from '../../store/paging.ts';
import type { LedgerStore } from '../../store/store.ts';
import type { TableRow, TableWrite } from '../../store/tables.ts';
import { entryOf, type FileRow, fileRow, fileWrite, STAMP, type StorableFile } from './file.ts';
import { type CorpusIndex, makeCorpusIndex } from './section-index.ts';

/** A change of the content that is applied at once; a file or a symbol without a value is removed. */
export interface RepositoryChange {
  readonly files?: ReadonlyMap<string, StorableFile | undefined>;
  readonly symbols?: ReadonlyMap<string, SymbolRow | undefined>;
  /** Hashes of the packs that make up the content after this change, where they are known. */
  readonly packs?: readonly string[];
}

/** The content as the store had it under a stamp. */
export interface CommittedContent {
  readonly corpus: CorpusIndex;
  readonly symbols: Symbols;
  readonly stamp: string;
}

/** The stamp of the content that is in the store now. */
export async function readStamp(store: LedgerStore): Promise<Outcome<string>> {
  const found = await store.get('files', STAMP);
  if (!found.ok) return found;
  return pass(typeof found.value === 'string' ? found.value : '');
}

/** Loads the content under this stamp, or under a later stamp where another tab commits meanwhile. */
export async function loadContent(store: LedgerStore, stamp: string): Promise<Outcome<CommittedContent>> {
  const [corpus, names] = [makeCorpusIndex(), await store.all('symbols')];
  if (!names.ok) return names;
  const read = await eachFile(store, (path, row) => corpus.change(new Map([[path, { entry: entryOf(row) }]])));
  if (!read.ok) return read;
  const now = await readStamp(store);
  if (!now.ok) return now;
  if (now.value !== stamp) return loadContent(store, now.value);
  const symbols = new Map(names.value.map(([key, value]) => [key, value as unknown as SymbolRow]));
  return pass({ corpus, symbols, stamp });
}

/** The symbols after a change. A copy, because a caller may hold the previous registry. */
export function symbolsAfter(before: Symbols, { symbols = new Map() }: RepositoryChange): Symbols {
  const named = new Map(before);
  for (const [key, row] of symbols) {
    if (row === undefined) named.delete(key);
    else named.set(key, row);
  }
  return named;
}

export function newStamp({ packs = [] }: RepositoryChange): string {
  return [crypto.randomUUID(), ...packs].join(' ');
}

/** The rows of a change, made in turn so that only a single text is in memory; the stamp is the last row. */
export function* rowsOf({ files, symbols }: RepositoryChange, stamp: string): Generator<TableWrite, undefined> {
  for (const [path, filed] of files ?? []) yield fileWrite(path, filed);
  for (const [key, row] of symbols ?? []) yield { table: 'symbols', key, value: row && { ...row } };
  yield { table: 'files', key: STAMP, value: stamp };
}

/** Rows that are read at a time, so that no corpus has to fit into memory with its text. */
const PAGE = 128;

/**
 * Visits every file of the store, in the order of its keys, a page at a time. Releases a file's text after the visit.
 */
export async function eachFile(
  store: LedgerStore,
  visit: (path: string, row: FileRow) => void | Promise<void>,
): Promise<Outcome<void>> {
  const [isDue, garbage] = [makePace(), new Collector()];
  for await (const page of pages<TableRow>(PAGE, (last) => store.all('files', last?.[0] ?? STAMP, PAGE))) {
    if (!page.ok) return page;
    for (const [path, value] of page.value) {
      const row = fileRow(value);
      const due = isDue(row?.text.length ?? 0);
      if (row !== undefined) await visit(path, row);
      garbage.count((row?.text.length ?? 0) + (row?.sections.length ?? 0));
      if (row?.text instanceof Uint8Array) releaseBuffer(row.text);
      if (due) await pause();
    }
  }
  return pass(undefined);
}
