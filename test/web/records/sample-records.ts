import type { Bodies, LedgerRecord, RecordKind, Step } from '../../../core/index.ts';

const HASH = 'ab'.repeat(32);
const REF = { sha256: HASH, bytes: 12 };

/** A record in the form of the ledger; only its kind, body and place matter to the views. */
export function record<K extends RecordKind>(run_seq: number, kind: K, body: Partial<Bodies[K]>): LedgerRecord {
  const link = { run_id: 'r', run_seq, epoch: 0, body_hash: HASH, at: 0, prev: HASH, hash: HASH };
  return { ...link, kind, body } as unknown as LedgerRecord;
}

const at = { step: 1, step_id: 's' };

/** The records of one refused proposal. */
export function refused(step: Step): LedgerRecord[] {
  const reason = { class: 'invalid_json', code: 'json_syntax', step } as const;
  return [
    record(2, 'proposal', { ...at, payload: REF }),
    record(3, 'verdict', { ...at, accepted: false, refusal: reason }),
    record(4, 'observation', { ...at, status: 'error', payload: REF }),
    receipt(5, 'FAILURE', reason),
  ];
}

export function receipt(seq: number, status: 'SUCCESS' | 'FAILURE', reason?: object): LedgerRecord {
  return record(seq, 'receipt', { receipt: { status }, evidence: { step: 1, reason } } as never);
}

/** A call that was accepted, up to its decision. */
export function decided(decision: Bodies['decision']['decision']): LedgerRecord[] {
  return [
    record(2, 'proposal', { ...at, payload: REF }),
    record(3, 'verdict', { ...at, accepted: true, kind: 'call', capability: 'notes.put' }),
    record(4, 'decision', { ...at, decision, capability: 'notes.put' }),
  ];
}

export function approval(seq: number, event: 'asked' | 'answered', approved = false): LedgerRecord {
  return record(seq, 'approval', { ...at, event, approved, capability: 'notes.put' } as never);
}
