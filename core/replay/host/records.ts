import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { LedgerRecord } from '../../ledger/record.ts';
import { operationIn } from '../../run/powers/power-nonce.ts';
import type { Tape } from '../tape.ts';

/** A record of the host's part in a call. Revocations by a person may come between them. */
export type HostRecord = Extract<LedgerRecord, { kind: 'power' | 'parked' | 'approval' | 'revocation' }>;

/** The host records from this index up to the next record of another kind. */
export function hostRecords({ records }: Tape, from: number): readonly HostRecord[] {
  const end = records.findIndex((record, at) => at >= from && !isOfPage(record));
  return records.slice(from, end < 0 ? undefined : end).filter(isOfPage);
}

export function isOfPage(record: LedgerRecord): record is HostRecord {
  if (record.kind === 'approval') return record.body.ticket !== undefined;
  return record.kind === 'power' || record.kind === 'parked' || record.kind === 'revocation';
}

/**
 * The host records of the current operation. Records of the next operation may follow at once, with tickets numbered
 * anew: a question names its operation, and an issued power has a decision in the evidence of its operation.
 */
export function ownRecords(
  following: readonly HostRecord[],
  operation: number,
  decisions: readonly PowerDecision[],
): readonly HostRecord[] {
  const seen = new Set<string>();
  const end = following.findIndex((record) => !isOwn(record, operation, decisions, seen));
  return following.slice(0, end < 0 ? undefined : end);
}

function isOwn(
  { kind, body }: HostRecord,
  operation: number,
  decisions: readonly PowerDecision[],
  seen: Set<string>,
): boolean {
  if (kind === 'revocation') return true;
  if (kind === 'parked') return body.powers.every((each) => decisions.some((decided) => isSame(decided, each)));
  const { event, ticket = 0 } = body;
  const what = `${kind} ${event} ${ticket}`;
  if (seen.has(what)) return false;
  seen.add(what);
  if (event === 'answered') return seen.has(`${kind} ${kind === 'power' ? 'issued' : 'asked'} ${ticket}`);
  if (event === 'asked') return (operationIn(body.nonce) ?? operation) === operation;
  const isRecorded = body.effect === 'write' || body.effect === 'egress' || seen.has(`approval asked ${ticket}`);
  return isRecorded && decisions.some((decided) => decided.decision === 'AUTHORIZED' && isSame(decided, body));
}

type Use = Pick<PowerDecision, 'ticket' | 'power_hash' | 'grant'>;

/** True for two decisions about the same use of a power. */
export function isSame(one: Use, other: Use): boolean {
  return one.ticket === other.ticket && one.power_hash === other.power_hash && one.grant === other.grant;
}
