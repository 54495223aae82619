import type { LedgerRecord } from '../../../core/index.ts';
import type { StepGroup } from '../../records/steps.ts';

/** A line of the ledger as it is listed: the head of a step, a record, or a pause. */
export type TimelineLine =
  | { readonly kind: 'gap'; readonly key: string; readonly group: StepGroup; readonly ms: number }
  | { readonly kind: 'head'; readonly key: string; readonly group: StepGroup }
  | { readonly kind: 'row'; readonly key: string; readonly group: StepGroup; readonly record: LedgerRecord };

/** A pause of at least this length gets a line; a longer pause also gets a single line. */
const IDLE_MS = 2000;

/** The shown records, under the heads of their steps. Each shown record is listed exactly once. */
export function linesOf(
  groups: readonly StepGroup[],
  isShown: (record: LedgerRecord) => boolean,
): readonly TimelineLine[] {
  const lines: TimelineLine[] = [];
  let before: LedgerRecord | undefined;
  for (const group of groups) {
    const records = group.records.filter(isShown);
    const idle = (group.records[0]?.at ?? 0) - (before?.at ?? Infinity);
    before = group.records.at(-1);
    if (records.length === 0) continue;
    if (idle >= IDLE_MS) lines.push({ kind: 'gap', key: `g${group.key}`, group, ms: idle });
    lines.push({ kind: 'head', key: `h${group.key}`, group });
    for (const record of records) lines.push({ kind: 'row', key: `r${record.run_seq}`, group, record });
  }
  return lines;
}

/** Heights in px, by kind of line. */
export type Heights = { readonly [K in TimelineLine['kind']]: number };

/** The start of each line, and after them the end of the last line. */
export function offsetsOf(lines: readonly TimelineLine[], heights: Heights): Float64Array {
  const offsets = new Float64Array(lines.length + 1);
  lines.forEach(({ kind }, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + heights[kind];
  });
  return offsets;
}

/** The lines that touch a stretch of the list: from the first to before the last. */
export function linesBetween(offsets: Float64Array, top: number, bottom: number): readonly [number, number] {
  const count = offsets.length - 1;
  const from = Math.min(Math.max(firstAbove(offsets, top) - 1, 0), count);
  return [from, Math.max(Math.min(firstAbove(offsets, bottom), count), from)];
}

/** The first line that begins below `y`. */
function firstAbove(offsets: Float64Array, y: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}
