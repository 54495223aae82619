import type { Charged } from '../../capability/charge.ts';
import { refuse } from '../../errors.ts';
import type { Refusal } from '../../outcome.ts';
import { commit } from '../commit/commit.ts';
import type { OpenStep } from '../open-step.ts';
import { ofDesk } from '../powers/power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { executing, type Transition } from '../step.ts';

/**
 * Who revokes wants it to stop: a call that runs is ended when its own grant is revoked or its capability disabled, and
 * its receipt says so. A message ends as a whole, as it was permitted. A write that is under way is waited for, as it
 * is when a run is stopped, and what has come back already is judged to its end.
 */
export function endRevoked([state, effects]: Transition): Transition {
  const at = executing(state);
  if (at === undefined || !isUnderWay(at)) return [state, effects];
  const gone = revokedOf(state, at);
  if (gone === undefined) return [state, effects];
  const call = { ...ofDesk(state, at), capability: at.charged.capability, args_hash: at.call.args.ref.sha256 };
  const [after, more] = commit(state, at.open, { ...call, cut: true, strict: true, refusal: refusalOf(at.open, gone) });
  return [after, [...effects, { type: 'cancel' }, ...more]];
}

function isUnderWay({ waiting, desk }: Executing): boolean {
  return (waiting === 'call' || waiting === 'text') && (desk === undefined || desk.writes.length === 0);
}

/** The same where nothing has begun yet; undefined where all that lies ahead is still permitted. */
export function refuseRevoked(state: RunState, at: Ahead): Transition | undefined {
  const gone = revokedOf(state, at);
  return gone && commit(state, at.open, { refusal: refusalOf(at.open, gone), capability: gone.capability });
}

type Ahead = { readonly open: OpenStep; readonly charged?: Charged };

/** Of what a step is doing and is still to do, what is permitted no longer. */
export function revokedOf({ policy }: RunState, { open: { work }, charged }: Ahead): Charged | undefined {
  const ahead = work === undefined ? [charged] : work.permits.slice(work.done.length).map((permit) => permit.charged);
  return ahead.find((call) => {
    if (call === undefined) return false;
    const { capability, grant } = call;
    return !policy.enabled.has(capability.hash) || !policy.grants.some(({ id }) => id === grant.id);
  });
}

function refusalOf({ work }: OpenStep, gone: Charged): Refusal {
  const nth = work?.permits.findIndex(({ charged }) => charged === gone);
  const place = { step: 'execute', ...(nth === undefined ? {} : { pointer: `/ops/${nth}` }) } as const;
  return refuse('permission_revoked', { name: gone.capability.manifest.name }, place).refusal;
}
