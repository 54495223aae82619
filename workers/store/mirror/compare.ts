import { hashText } from '../../../core/hash.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type Arrangement, type LogExtent, longest, NO_EXTENT } from './arrange.ts';
import type { FileLog } from './file-log.ts';
import { INCOMPLETE, type LogIndex } from './log-index.ts';

/** Result of an opening: what the log says about itself, and whether the files lack content of the index. */
export interface Comparison {
  /** Event to record, where the index had lost records. */
  readonly event: LogBody | undefined;
  readonly isIncomplete: boolean;
}

/** Fills the index from the files, and compares the log with what was told of it. */
export async function fillFromFiles(log: FileLog, seen: LogExtent | undefined): Promise<Outcome<Comparison>> {
  const { index } = log;
  const [offsets, before] = [await index.offsets(), await index.frontier()];
  if (!offsets.ok) return offsets;
  if (!before.ok) return before;
  const isNew = before.value.size === 0 && filesIn(offsets.value).length === 0;
  const isIncomplete = await lacks(log, offsets.value, before.value.size);
  const marked = isIncomplete ? await markIncomplete(index) : pass(undefined);
  if (!marked.ok) return marked;
  const read = await readFiles(log, isNew || before.value.size < (seen?.size ?? 0));
  const after = await index.frontier();
  if (!read.ok) return read;
  if (!after.ok) return after;
  const told = longest(read.value.told, seen ?? NO_EXTENT);
  const indexed = Math.max(before.value.size, read.value.indexed);
  const isGood = indexed >= told.size && !(isNew && read.value.contents.length > 0);
  if (isGood) return pass({ event: undefined, isIncomplete });
  const found = { size: after.value.size, root: hashText(rootOf(after.value)) };
  const isWhole =
    read.value.followed >= read.value.told.size && (await isBehind(index, found, [read.value.told, seen]));
  const event: LogBody = isWhole
    ? { event: 'restored', ...found, found: before.value.size }
    : { event: 'lost', size: told.size, root: told.root, found: after.value.size };
  return pass({ event, isIncomplete });
}

/** Reads the files; all of them where the index is shorter than a note tells. */
async function readFiles(log: FileLog, all: boolean): Promise<Outcome<Arrangement>> {
  const read = await log.read({ all, own: true });
  if (read.ok || all || read.refusal.code !== 'log_lost') return read;
  return log.read({ all: true, own: true });
}

/** True if the log has each of these beginnings. */
async function isBehind(
  index: LogIndex,
  { size }: LogExtent,
  told: readonly (LogExtent | undefined)[],
): Promise<boolean> {
  for (const each of told) {
    if (each === undefined || each.size === 0) continue;
    const root = each.size <= size ? await index.rootAt(each.size) : pass(undefined);
    if (!root.ok || root.value !== each.root) return false;
  }
  return true;
}

/** True if a file is gone or shorter than the index knows it, or if no file has the log yet. */
async function lacks(log: FileLog, offsets: ReadonlyMap<string, number>, size: number): Promise<boolean> {
  const files = filesIn(offsets);
  if (offsets.has(INCOMPLETE) || (files.length === 0 && size > 0)) return true;
  for (const [name, offset] of files) {
    if (offset > 0 && ((await log.folder.blob(name))?.size ?? 0) < offset) return true;
  }
  return false;
}

function filesIn(offsets: ReadonlyMap<string, number>): readonly (readonly [name: string, offset: number])[] {
  return [...offsets].filter(([name]) => name.endsWith('.journal'));
}

/**
 * Marks that the files lack content of the index. The offsets alone would not tell it once the files were read: an
 * opening that is cut after that is continued by the next opening.
 */
export function markIncomplete(index: LogIndex): Promise<Outcome<void>> {
  return index.setOffsets(new Map([[INCOMPLETE, 1]]), 'strict');
}
