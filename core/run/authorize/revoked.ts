import type { Charged } from '../../capability/charge.ts';
import { refuse } from '../../errors.ts';
import type { Refusal } from '../../outcome.ts';
import { commit } from '../commit/commit.ts';
import type { OpenStep } from '../open-step.ts';
import { powerEvidence } from '../powers/power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { executing, type Transition } from '../step.ts';

/**
 * Ends a running call whose grant is revoked or whose capability is disabled, and says so in its receipt. A message
 * ends as a whole, as it was permitted as a whole. A write in flight is awaited, as for a stop, and a result that has
 * already returned is judged to its end.
 */
export function endRevoked([state, effects]: Transition): Transition {
  const at = executing(state);
  if (at === undefined || !isUnderWay(at)) return [state, effects];
  const gone = revokedOf(state, at);
  if (gone === undefined) return [state, effects];
  const call = { ...powerEvidence(state, at), capability: at.charged.capability, args_hash: at.call.args.ref.sha256 };
  const [after, more] = commit(state, at.open, { ...call, cut: true, strict: true, refusal: refusalOf(at.open, gone) });
  return [after, [...effects, { type: 'cancel' }, ...more]];
}

function isUnderWay({ waiting, pendingCalls }: Executing): boolean {
  return (waiting === 'call' || waiting === 'text') && pendingCalls.writes.length === 0;
}

/** The same for a step that has not begun; undefined if all calls ahead are still permitted. */
export function refuseRevoked(state: RunState, at: CallsAhead): Transition | undefined {
  const gone = revokedOf(state, at);
  return gone && commit(state, at.open, { refusal: refusalOf(at.open, gone), capability: gone.capability });
}

type CallsAhead = { readonly open: OpenStep; readonly charged?: Charged };

/** The first call of a step, running or ahead, that is no longer permitted. */
export function revokedOf({ policy }: RunState, { open: { work }, charged }: CallsAhead): Charged | undefined {
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
