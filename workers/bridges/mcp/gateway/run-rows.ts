import type { Label } from '../../../../core/capability/guard.ts';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';

/** A step of a run as the page shows it. */
export interface RunStepRow {
  readonly step: number;
  readonly tool?: string;
  readonly decision?: string;
  /** Answer of a person, with its origin. */
  readonly answer?: string;
  readonly status?: string;
  readonly code?: string;
  readonly labels?: readonly Label[];
  /** Hash of the receipt's record. */
  readonly receipt?: string;
}

/** A run as the page shows it: its newest steps. */
export interface RunRows {
  readonly run_id: string;
  readonly records: number;
  readonly head: string;
  readonly ended?: string;
  readonly steps: readonly RunStepRow[];
}

/** Steps that the page shows of a run. */
const STEPS_MAX = 100;

export function newRunRows(run_id: string): RunRows {
  return { run_id, records: 0, head: '', steps: [] };
}

/** The rows after one more record. */
export function withRecord(run: RunRows, record: LedgerRecord): RunRows {
  const next = { ...run, records: run.records + 1, head: record.hash };
  if (record.kind === 'seal') return { ...next, ended: record.body.state };
  const more = partOf(record);
  if (more === undefined) return next;
  const before = run.steps.find(({ step }) => step === more.step);
  const steps = [...run.steps.filter((each) => each !== before), { ...before, ...more }];
  return { ...next, steps: steps.slice(-STEPS_MAX) };
}

function partOf({ kind, body, hash }: LedgerRecord): RunStepRow | undefined {
  switch (kind) {
    case 'proposal':
      return { step: body.step };
    case 'verdict':
      return { step: body.step, ...(body.capability !== undefined && { tool: body.capability }) };
    case 'decision':
      return { step: body.step, tool: body.capability, decision: body.decision };
    case 'approval':
      if (body.event === 'asked') return { step: body.step, answer: 'asked' };
      return { step: body.step, answer: `${body.approved ? 'yes' : 'no'} (${body.via ?? 'program'})` };
    case 'receipt': {
      const { step, reason, labels } = body.evidence;
      return { step, status: body.receipt.status, labels, receipt: hash, ...(reason && { code: reason.code }) };
    }
    default:
      return undefined;
  }
}
