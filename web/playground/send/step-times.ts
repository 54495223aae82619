import type { LedgerRecord } from '../../../core/index.ts';
import { isAsked } from '../../records/durations.ts';
import type { GateName } from '../../records/gates.ts';
import { number } from '../../texts/intl.ts';

/** Wall-clock durations of a step, in ms. Clocks are not proven: a clock that was set back counts as no time. */
export interface StepTimes {
  /** From the record before the step until its proposal arrived. */
  readonly proposalMs: number;
  readonly gatesMs: { readonly [G in GateName]?: number };
  /** From the proposal to the receipt. */
  readonly totalMs: number;
}

/**
 * The time up to each record belongs to the gate whose work ends with that record. Records that were written together
 * have one time; a decision also has the time of its clock, and the records before it came no later.
 */
export function timesOf(records: readonly LedgerRecord[], before: LedgerRecord | undefined): StepTimes {
  const gatesMs: { [G in GateName]?: number } = {};
  let [proposalMs, totalMs] = [0, 0];
  let last = before?.at ?? records[0]?.at ?? 0;
  const times = momentsOf(records);
  for (const [index, record] of records.entries()) {
    const at = Math.max(times[index] ?? record.at, last);
    const elapsed = at - last;
    last = at;
    const gate = gateOf(record, records.slice(0, index));
    if (gate === undefined) proposalMs += elapsed;
    else {
      gatesMs[gate] = (gatesMs[gate] ?? 0) + elapsed;
      totalMs += elapsed;
    }
  }
  return { proposalMs, gatesMs, totalMs };
}

/** Latest time at which each record can have come about. */
function momentsOf(records: readonly LedgerRecord[]): readonly number[] {
  let bound = Infinity;
  const times = records.toReversed().map(({ at, kind, body }) => {
    if (kind === 'decision') bound = Math.min(bound, body.now);
    return Math.min(at, bound);
  });
  return times.toReversed();
}

/** Undefined for the proposal, which ends the wait for the model. A run may be resumed while a question is open. */
function gateOf({ kind, body }: LedgerRecord, before: readonly LedgerRecord[]): GateName | undefined {
  switch (kind) {
    case 'proposal':
      return undefined;
    case 'verdict':
      return 'verdict';
    case 'decision':
      return 'authorize';
    case 'approval':
      return body.event === 'asked' ? 'authorize' : 'approve';
    case 'receipt':
      return 'receipt';
    case 'state':
      return isAsked(before) ? 'approve' : 'execute';
    default:
      return 'execute';
  }
}

/** A duration for reading: `12 ms`, `1.3 s`, `4 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${number(ms / 1_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(ms / 1_000);
  return `${number(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}
