import type { Bodies } from '../ledger/record.ts';
import { mayNote, revocationOf } from '../run/authorize/revoke.ts';
import { executing, openStep } from '../run/step.ts';
import { isRevokedBy } from './host/apply.ts';
import type { Move } from './move.ts';
import type { Player } from './player.ts';
import { inStep } from './tape.ts';

/** The revocation that is recorded behind the step's own records here. */
export function revocationAt(player: Player): Bodies['revocation'] | undefined {
  const { tape, at, state } = player;
  const record = tape.records[at + (openStep(state)?.drafts.length ?? 0)];
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
  if (evidence?.reason?.code !== 'permission_revoked') return false;
  return (call.waiting === 'intent') === (receipt?.actions.length === 0);
}

/** True if the revocation ends the call. The host's records of the call come before it. */
export function endsCall({ state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  return call?.waiting === 'call' && isRevokedBy(state, call, body);
}

export function revoked(body: Bodies['revocation']): Move {
  return { aside: { type: 'revoked', ...revocationOf(body) } };
}
