import { requestBounds } from '../../core/limits.ts';
import { type Message, messages } from '../../core/run/context.ts';
import { opening, proposalSchema } from '../../core/run/opening.ts';
import type { RunState } from '../../core/run/state.ts';
import type { ModelWindow } from '../api.ts';
import { thrownError } from '../async/thrown.ts';
import type { ModelAnswer, Proposer } from '../ports.ts';

/** Makes the function that asks a run's model. The model is told that it may refer to these symbols. */
export function modelRequester(
  proposer: Proposer,
  symbols: readonly string[],
  window: ModelWindow | undefined,
): (state: RunState, context: RunState['context']) => Promise<ModelAnswer> {
  let offer: Offer | undefined;
  return async (state, context) => {
    offer = offerOf(state, symbols, offer);
    const { limits, seed } = state.facts;
    const { answerTokens, contextBytes } = within(requestBounds(limits), window);
    const request = {
      messages: messages(context, [offer.opening], contextBytes),
      proposalSchema: offer.schema,
      maxTokens: answerTokens,
      ...(seed !== undefined && { seed }),
    };
    // A proposer that throws counts as a failed answer.
    return proposer
      .propose(request, state.steps + 1)
      .catch((error: unknown) => ({ failed: 'model_failed', error: thrownError(error) }));
  };
}

/** The limits of a run, reduced to the model's window. */
export function within<T extends ReturnType<typeof requestBounds>>(limits: T, window: ModelWindow | undefined): T {
  const { contextBytes = limits.contextBytes, maxTokens = limits.answerTokens } = window ?? {};
  return {
    ...limits,
    contextBytes: Math.min(limits.contextBytes, contextBytes),
    answerTokens: Math.min(limits.answerTokens, maxTokens),
  };
}

/** The proposal schema and instructions for a model, and the policy that they were made from. */
interface Offer {
  readonly policy: RunState['policy'];
  readonly opening: Message;
  readonly schema: ReturnType<typeof proposalSchema>;
}

/** The current offer: the last offer, unless the policy has changed since. */
function offerOf(state: RunState, symbols: readonly string[], last: Offer | undefined): Offer {
  if (last?.policy === state.policy) return last;
  return { policy: state.policy, opening: opening(state, symbols), schema: proposalSchema(state) };
}
