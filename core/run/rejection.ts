import { canonicalText } from '../json/canonical.ts';
import type { Draft } from '../ledger/record.ts';
import { takesNotes } from './authorize/revoke.ts';
import type { Payload } from './effect.ts';
import type { RunEvent } from './event.ts';
import { observeRefusal } from './observe.ts';
import { stepPayload, wirePayload } from './payload.ts';
import type { RunState } from './state.ts';
import { stay, type Transition } from './step.ts';

/** Records messages of a host that were turned away. They take no part in the run's decisions, and are no steps. */
export function noteRejection(state: RunState, event: Extract<RunEvent, { type: 'rejected' }>): Transition {
  if (!takesNotes(state)) return stay(state);
  const { drafts, payloads } = recordOf(state, event);
  return [{ ...state, pendingNotes: state.pendingNotes + 1 }, [{ type: 'note', drafts, payloads }]];
}

function recordOf(
  { facts }: RunState,
  { rejection, salt }: Extract<RunEvent, { type: 'rejected' }>,
): { readonly drafts: readonly Draft[]; readonly payloads: readonly Payload[] } {
  const { from } = rejection;
  if ('counts' in rejection) {
    const { counts } = rejection;
    return { drafts: [{ kind: 'rejection', body: { event: 'flood', from, counts } }], payloads: [] };
  }
  const { refusal, bytes } = rejection;
  const salted = facts.registry.hasSecrets && salt !== undefined ? { salt } : {};
  const told = stepPayload(salted, 'told', canonicalText(observeRefusal(refusal)));
  const payload = bytes && wirePayload(bytes, facts.limits.proposalBytes, salted);
  const body = {
    class: refusal.class,
    code: refusal.code,
    event: 'message',
    from,
    ...(payload && { payload: payload.ref }),
    told: told.ref,
  } as const;
  return { drafts: [{ kind: 'rejection', body }], payloads: payload ? [told, payload] : [told] };
}
