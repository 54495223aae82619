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
