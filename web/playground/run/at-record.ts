import type { Bodies, LedgerRecord } from '../../../core/index.ts';
import { groupAt, groupSteps, type StepGroup } from '../../records/steps.ts';

/** The step a record belongs to, as it stood when that record was written; the last one before it for records between. */
export function stepThen(groups: readonly StepGroup[], seq: number | undefined): StepGroup | undefined {
  const step = groups.findLast((each) => each.step !== undefined && each.key <= (seq ?? Infinity));
  if (step === undefined || seq === undefined || groupAt(groups, seq) !== step) return step;
  return groupSteps(step.records.filter(({ run_seq }) => run_seq <= seq))[0];
}

/** What a run has used of its limits, and what its model has read, by the time of a record. */
export interface Used {
  readonly steps: number;
  readonly refusedInRow: number;
  readonly labels: readonly string[];
  /** Of the last message, in runs of messages: what it has spent of its budgets. */
  readonly spent: Spent | undefined;
}

type Spent = NonNullable<Bodies['receipt']['evidence']['spent']>;

export function usedBy(records: readonly LedgerRecord[], seq: number | undefined): Used {
  const receipts = records.filter((record) => record.kind === 'receipt' && record.run_seq <= (seq ?? Infinity));
  const ends = receipts.map((record) => (record.kind === 'receipt' ? record.body : undefined));
  const good = ends.findLastIndex((body) => body?.receipt.status === 'SUCCESS');
  return {
    steps: ends.length,
    refusedInRow: ends.length - 1 - good,
    labels: ends.at(-1)?.evidence.labels ?? [],
    spent: ends.at(-1)?.evidence.spent,
  };
}
