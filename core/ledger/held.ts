import { joined, type Label } from '../capability/guard.ts';
import { handleOf } from '../capability/handle.ts';
import type { PayloadRef } from './payload-ref.ts';
import type { LedgerRecord } from './record.ts';

/** A held outcome without its value. */
export interface HeldRow {
  readonly handle: string;
  readonly step: number;
  readonly status: 'success' | 'error';
  /** Labels of all that may have come into it. */
  readonly labels: readonly Label[];
  /** Names of the capabilities that its data may have come from. */
  readonly sources: readonly string[];
  /** The steps whose held values it was given. */
  readonly steps: readonly number[];
}

/** A held outcome, and the payload that has its value or its refusal. */
export interface HeldReceipt extends HeldRow {
  readonly outcome: PayloadRef;
}

/** The held outcomes of a run, oldest first. */
export function heldIn(records: readonly LedgerRecord[]): readonly HeldReceipt[] {
  return records.flatMap(({ kind, body }) => {
    // a release has told its value, and has no handle
    if (kind !== 'receipt' || body.evidence.held === undefined || body.evidence.held.release) return [];
    const { step, held } = body.evidence;
    const { raised = [], sources, steps, outcome, operation } = held;
    const labels = joined(held.labels, raised);
    // a message whose failures are not critical has a value
    const status = body.receipt.status === 'FAILURE' ? 'error' : 'success';
    return [{ handle: handleOf(step, operation), step, status, labels, sources, steps, outcome }] as const;
  });
}
