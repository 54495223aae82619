import { CONTEXT_BYTES, messages, type RunState } from '../core/inner.ts';
import { type Offer, offerOf } from './offer.ts';
import type { Proposed, Proposer } from './ports.ts';

const TOKENS_MAX = 1024;

/** Asks whoever proposes in one run; of the content, the model is told that these symbols may be referred to. */
export function asker(
  proposer: Proposer,
  symbols: readonly string[],
): (state: RunState, context: RunState['context']) => Promise<Proposed> {
  let offer: Offer | undefined;
  return async (state, context) => {
    offer = offerOf(state, symbols, offer);
    const request = {
      messages: messages(context, [offer.opening], CONTEXT_BYTES),
      proposalSchema: offer.schema,
      maxTokens: TOKENS_MAX,
    };
    // one that throws instead of answering has failed like one that says so
    return proposer.propose(request).catch((error: unknown) => ({ failed: 'model_failed', error: told(error) }));
  };
}

function told(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
