import { messages, type RunState, requestBounds } from '../core/inner.ts';
import type { ModelWindow } from './api.ts';
import { type Offer, offerOf } from './offer.ts';
import type { Proposed, Proposer } from './ports.ts';

/** Asks whoever proposes in one run; of the content, the model is told that these symbols may be referred to. */
export function asker(
  proposer: Proposer,
  symbols: readonly string[],
  window: ModelWindow | undefined,
): (state: RunState, context: RunState['context']) => Promise<Proposed> {
  let offer: Offer | undefined;
  return async (state, context) => {
    offer = offerOf(state, symbols, offer);
    const { limits, seed } = state.facts;
    const { answerTokens, contextBytes } = within(requestBounds(limits), window);
    const request = {
      messages: messages(context, [offer.opening], contextBytes),
      proposalSchema: offer.schema,
      maxTokens: answerTokens,
      ...(seed === undefined ? {} : { seed }),
    };
    // one that throws instead of answering has failed like one that says so
    return proposer
      .propose(request, state.steps + 1)
      .catch((error: unknown) => ({ failed: 'model_failed', error: told(error) }));
  };
}

/** The limits of a run, as far as its model can hold as much. */
export function within<T extends ReturnType<typeof requestBounds>>(limits: T, window: ModelWindow | undefined): T {
  const { contextBytes = limits.contextBytes, maxTokens = limits.answerTokens } = window ?? {};
  return {
    ...limits,
    contextBytes: Math.min(limits.contextBytes, contextBytes),
    answerTokens: Math.min(limits.answerTokens, maxTokens),
  };
}

function told(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
