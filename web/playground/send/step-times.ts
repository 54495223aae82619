import type { LedgerRecord } from '../../../core/index.ts';
import type { GateName } from '../../records/gates.ts';

/** Wall-clock durations of a step, in ms. Clocks are not proven: a clock that was set back counts as no time. */
export interface StepTimes {
  /** From the record before the step until its proposal arrived. */
  readonly proposalMs: number;
  readonly gatesMs: { readonly [G in GateName]?: number };
  /** From the proposal to the receipt. */
  readonly totalMs: number;
}

/** The time up to each record belongs to the gate whose work ends with that record. */
export function timesOf(records: readonly LedgerRecord[], before: LedgerRecord | undefined): StepTimes {
  const gatesMs: { [G in GateName]?: number } = {};
  let [proposalMs, totalMs] = [0, 0];
  let last = before?.at ?? records[0]?.at ?? 0;
  for (const record of records) {
    const elapsed = Math.max(record.at - last, 0);
    last = record.at;
    const gate = gateOf(record);
    if (gate === undefined) proposalMs += elapsed;
    else {
      gatesMs[gate] = (gatesMs[gate] ?? 0) + elapsed;
      totalMs += elapsed;
    }
  }
  return { proposalMs, gatesMs, totalMs };
}

/** Undefined for the proposal, which ends the wait for the model. */
function gateOf({ kind, body }: LedgerRecord): GateName | undefined {
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
    default:
      return 'execute';
  }
}

/** A duration for reading: `12 ms`, `1.3 s`, `4 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60).toLocaleString('en')} min ${seconds % 60} s`;
}
