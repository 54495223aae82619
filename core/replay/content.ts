import { type IndexedFile, indexText } from '../content/build.ts';
import type { SymbolRow } from '../content/symbol.ts';
import type { Target } from '../content/target.ts';
import { isObject } from '../json/value.ts';
import { isReboundList } from '../ledger/kinds/content.ts';
import type { OperationEvidence } from '../ledger/kinds/evidence.ts';
import type { RunEvent } from '../run/event.ts';
import type { Work } from '../run/open-step.ts';
import { shown } from '../run/payload.ts';
import { readResolution } from '../run/validate/resolution.ts';
import { inStep, jsonOf, storedOf, type Tape, textOf } from './tape.ts';

/** Content that a message read, restored from its records. Undefined: the content is not in the file. */

/** The targets of the message's symbols. */
export function resolvedFrom(tape: Tape, at: number, step: number): RunEvent | undefined {
  const ref = inStep(tape, at, 'verdict')?.resolved;
  const found = ref && readResolution(jsonOf(tape, ref));
  return found && { type: 'resolved', step, found };
}

/** The receipt's evidence of the current operation. */
export function evidenceOf(tape: Tape, at: number, { done }: Work): OperationEvidence | undefined {
  return inStep(tape, at, 'receipt')?.evidence.operations?.[done.length];
}

/** Limit of the placeholder lines before a target: a stranger's file may claim any number. */
const LINES_MAX = 1 << 20;

/** The content of a file as an operation found it, or its absence. */
export function loadedFrom(tape: Tape, at: number, step: number, work: Work): RunEvent | undefined {
  const { file_path: path = '' } = work.targets[work.done.length] ?? {};
  const evidence = evidenceOf(tape, at, work);
  const none = { type: 'loaded', step, rows: [] } as const;
  if (work.staged.has(path) || evidence?.reason?.code === 'content_missing') return none;
  const { line = 0, text: ref } = evidence?.source ?? {};
  const text = ref && textOf(tape, ref);
  if (text === undefined || line > LINES_MAX) return undefined;
  const file = fileOf(work, path, '\n'.repeat(line) + text);
  return file && { ...none, file, rows: rowsOf(tape, at, work, file) };
}

/** The file's text. Only a written file is divided into sections again. */
function fileOf({ message, done }: Work, path: string, text: string): IndexedFile | undefined {
  if (message.ops[done.length]?.type !== 'WRITE') return { file_path: path, content_hash: '', text, sections: [] };
  const file = indexText(path, text);
  return file.ok ? file.value : undefined;
}

/**
 * Rows of a file's symbols: the symbols that its change has moved, and the symbols that the message names. The records
 * hold no further symbols. Each row has a single target, and a moved symbol stood for a section of the file.
 */
function rowsOf(tape: Tape, at: number, { targets }: Work, { file_path, sections }: IndexedFile): readonly SymbolRow[] {
  const here = targets.flatMap((target) => (target?.file_path === file_path ? [rowOf(target)] : []));
  const named = new Map(here.map((row) => [row.symbol_id, row]));
  const ids = new Set(sections.map(({ section_id }) => section_id));
  const told = inStep(tape, at, 'content', ({ path }) => path === file_path)?.symbols ?? [];
  const moved = shown(told, isReboundList, (ref) => storedOf(tape, ref)) ?? [];
  const rows = new Map<string, SymbolRow>();
  for (const { symbol_id, from } of moved) {
    const { target_type = 'SECTION', default_slice_policy = '' } = named.get(symbol_id) ?? {};
    if (ids.has(from)) rows.set(symbol_id, { symbol_id, target_type, target_ref: from, default_slice_policy });
  }
  for (const row of here) if (!rows.has(row.symbol_id)) rows.set(row.symbol_id, row);
  return [...rows.values()];
}

function rowOf({
  symbol_or_section_id,
  target_type,
  file_path,
  sections,
  default_slice_policy = '',
}: Target): SymbolRow {
  const target_ref = target_type === 'FILE' ? file_path : (sections[0]?.section_id ?? '');
  return { symbol_id: symbol_or_section_id, target_type, target_ref, default_slice_policy };
}

/** The event of a lost race: the message ran to its end, and its writes were refused. */
export function outdatedFrom(tape: Tape, at: number): Extract<RunEvent, { type: 'outdated' }> | undefined {
  const { reason } = inStep(tape, at, 'receipt')?.evidence ?? {};
  if (reason?.code !== 'content_changed' || reason.step !== 'record') return undefined;
  const told = inStep(tape, at, 'observation');
  const reply = told && jsonOf(tape, told.payload);
  const path = isObject(reply) && isObject(reply['details']) ? reply['details']['path'] : undefined;
  return { type: 'outdated', path: typeof path === 'string' ? path : '' };
}
