import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import { mayNote, revocationOf } from '../run/authorize/revoke.ts';
import type { RunEvent } from '../run/event.ts';
import type { PendingPowerCalls } from '../run/pending-power-calls.ts';
import { place } from '../run/powers/power-calls.ts';
import { executing } from '../run/step.ts';
import { isRevokedBy } from './host/apply.ts';
import { isOfPage } from './host/records.ts';
import { behindStep, happens, type Move, type ReplayStep } from './move.ts';
import type { Player } from './player.ts';
import { inStep } from './tape.ts';

/** The revocation that is recorded behind the step's own records here. */
export function revocationAt(player: Player): Bodies['revocation'] | undefined {
  const { tape, state } = player;
  const record = tape.records[behindStep(player)];
  return record?.kind === 'revocation' && mayNote(state) && isDue(player, record.body) ? record.body : undefined;
}

/**
 * True if the revocation comes next. A revocation that ended the current call comes once the call has begun, or
 * earlier, as its receipt tells; all other revocations may come sooner.
 */
function isDue({ tape, at, state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  if (call === undefined || call.waiting === 'result' || !isRevokedBy(state, call, body)) return true;
  if (call.pendingCalls.writes.length > 0) return false;
  const { receipt, evidence } = inStep(tape, at, 'receipt') ?? {};
  const hasBegun = receipt?.actions.length !== 0;
  // a stop may come as well before the intent is durable: then its code stands in the receipt
  if (call.waiting === 'intent') return !hasBegun;
  return hasBegun && evidence?.reason?.code === 'permission_revoked';
}

/** True if the revocation ends the call. The host's records of the call come before it. */
export function endsCall({ state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  return call?.waiting === 'call' && isRevokedBy(state, call, body);
}

/** The move for a revocation. Others may have come before the call that it ends had written its last record. */
export function revoked(player: Player, body: Bodies['revocation']): Move {
  const all = endsCall(player, body) ? revokedInWrite(player) : [];
  return all.length > 1 ? inWrite(player, all) : { aside: revokedBy(body) };
}

function revokedBy(body: Bodies['revocation']): RunEvent {
  return { type: 'revoked', ...revocationOf(body) };
}

/**
 * The end of a call by its return or by a stop. A revocation of its permission that did not end the call came while a
 * write of the call was in flight: the call had ended by then, or was stopped before that write was durable.
 */
export function endOfCall(player: Player, event: RunEvent): ReplayStep {
  const all = revokedInWrite(player);
  return all.length > 0 ? inWrite(player, all, event) : happens(event);
}

/** These events, and then the revocations, while a write of the running call is in flight. Then it is durable. */
function inWrite(
  player: Player,
  revocations: readonly Bodies['revocation'][],
  ...events: readonly RunEvent[]
): ReplayStep {
  const call = executing(player.state);
  if (call !== undefined) {
    const pendingCalls: PendingPowerCalls = { ...call.pendingCalls, writes: [{ then: 'nothing' }] };
    player.state = place(player.state, { ...call, pendingCalls });
  }
  return happens(...events, ...revocations.map(revokedBy), { type: 'appended' });
}

/** The revocations recorded next, if the record before them is one that the running call has waited for. */
function revokedInWrite({ tape: { records }, at }: Player): readonly Bodies['revocation'][] {
  const revocations: Bodies['revocation'][] = [];
  for (let next = at, record = records[next]; record?.kind === 'revocation'; record = records[++next])
    revocations.push(record.body);
  // every call ends here, and few are revoked
  if (revocations.length === 0) return revocations;
  let last = at - 1;
  while (records[last]?.kind === 'revocation') last--;
  const before = records[last];
  return before !== undefined && (isOfPage(before) || isResumed(before)) ? revocations : [];
}

function isResumed({ kind, body }: LedgerRecord): boolean {
  return kind === 'state' && body.event === 'resumed';
}
