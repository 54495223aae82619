import { type Message, opening, proposalSchema, type RunState } from '../core/inner.ts';

/** What a model is told that it may propose, and the policy that is made from. */
export interface Offer {
  readonly policy: RunState['policy'];
  readonly opening: Message;
  readonly schema: ReturnType<typeof proposalSchema>;
}

/** What may be proposed by now: the last offer, unless somebody has changed the policy since. */
export function offerOf(state: RunState, symbols: readonly string[], last: Offer | undefined): Offer {
  if (last?.policy === state.policy) return last;
  return { policy: state.policy, opening: opening(state, symbols), schema: proposalSchema(state) };
}
