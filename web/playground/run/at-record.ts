import type { Bodies, LedgerRecord } from '../../../core/index.ts';
import { groupAt, groupSteps, type StepGroup } from '../../records/steps.ts';

/**
 * The step that a record belongs to, as it was when the record was written; for a record between steps, the step before
 * it.
 */
export function stepThen(groups: readonly StepGroup[], seq: number | undefined): StepGroup | undefined {
  const step = groups.findLast((each) => each.step !== undefined && each.key <= (seq ?? Infinity));
  if (step === undefined || seq === undefined || groupAt(groups, seq) !== step) return step;
  return groupSteps(step.records.filter(({ run_seq }) => run_seq <= seq))[0];
}

/** The limits that a run had used, and the labels its model had read, by the time of a record. */
export interface RunUsage {
  readonly steps: number;
  readonly refusedInRow: number;
  readonly labels: readonly string[];
  /** In runs of messages, the budgets that the last message has spent. */
  readonly spent: Spent | undefined;
}

type Spent = NonNullable<Bodies['receipt']['evidence']['spent']>;

export function usedBy(records: readonly LedgerRecord[], seq: number | undefined): RunUsage {
  const receipts = records.filter((record) => record.kind === 'receipt' && record.run_seq <= (seq ?? Infinity));
  const ends = receipts.map((record) => (record.kind === 'receipt' ? record.body : undefined));
  const [first] = records;
  const before = first?.kind === 'configuration' ? first.body.labels : undefined;
  const good = ends.findLastIndex((body) => body?.receipt.status === 'SUCCESS');
  return {
    steps: ends.length,
    refusedInRow: ends.length - 1 - good,
    labels: ends.at(-1)?.evidence.labels ?? before ?? [],
    spent: ends.at(-1)?.evidence.spent,
  };
}
