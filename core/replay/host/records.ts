import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { ProgressBody } from '../../ledger/kinds/progress.ts';
import type { LedgerRecord } from '../../ledger/record.ts';
import type { Tape } from '../tape.ts';

/** A record of the host's part in a call. Revocations by a person may come between them. */
export type HostRecord =
  | Extract<LedgerRecord, { kind: 'power' | 'parked' | 'approval' | 'revocation' }>
  | (Extract<LedgerRecord, { kind: 'progress' }> & { readonly body: ReadsBody });

export type ReadsBody = Extract<ProgressBody, { event: 'reads' }>;

/** The host records from this index up to the next record of another kind, which ends the operation or the call. */
export function hostRecords({ records }: Tape, from: number): readonly HostRecord[] {
  const end = records.findIndex((record, at) => at >= from && !isOfPage(record));
  return records.slice(from, end < 0 ? undefined : end).filter(isOfPage);
}

export function isOfPage(record: LedgerRecord): record is HostRecord {
  if (record.kind === 'approval') return record.body.ticket !== undefined;
  if (record.kind === 'progress') return record.body.event === 'reads';
  return record.kind === 'power' || record.kind === 'parked' || record.kind === 'revocation';
}

type Use = Pick<PowerDecision, 'ticket' | 'power_hash' | 'grant'>;

/** True for two decisions about the same use of a power. */
export function isSame(one: Use, other: Use): boolean {
  return one.ticket === other.ticket && one.power_hash === other.power_hash && one.grant === other.grant;
}
