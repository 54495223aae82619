import { allNamed, limitsFor, RUN_LIMIT_ROWS, type RunLimitOf, type RunLimits } from '../../../core/limits.ts';
import { type Message, messages } from '../../../core/run/context.ts';
import { callable, opening, proposalSchema } from '../../../core/run/opening.ts';
import type { RunState } from '../../../core/run/state.ts';
import type { ModelRequest, ModelWindow, OpeningLength } from '../../api.ts';
import type { ModelAnswer, Proposer } from '../../ports.ts';
import { thrownError } from '../../thrown.ts';

interface Setting {
  readonly proposer: Proposer;
  /** Symbols that the model is told it may refer to. */
  readonly symbols: readonly string[];
  readonly window?: ModelWindow | undefined;
  readonly opening?: OpeningLength | undefined;
}

interface Answered {
  readonly answer: ModelAnswer;
  /** Bytes of the history that the model could be shown, where its window is smaller than the run's. */
  readonly window?: number;
}

/** Makes the function that asks a run's model. */
export function modelRequester(setting: Setting): (state: RunState, context: RunState['context']) => Promise<Answered> {
  let offer: Offer | undefined;
  return async (state, context) => {
    if (state.facts.caller) return { answer: await setting.proposer.propose(NO_REQUEST, state.steps + 1) };
    offer = offerOf(state, setting, offer);
    const { limits, seed } = state.facts;
    const { answerTokens, contextBytes, ...others } = within(limitsFor(limits, 'request'), setting.window);
    allNamed(others);
    const request = {
      messages: messages(context, offer.opening, contextBytes),
      dialect: state.facts.dialect,
      tools: offer.tools,
      proposalSchema: offer.schema,
      maxTokens: answerTokens,
      ...(seed !== undefined && { seed }),
    };
    // A proposer that throws counts as a failed answer.
    const answer = await setting.proposer
      .propose(request, state.steps + 1)
      .catch((error: unknown): ModelAnswer => ({ failed: 'model_failed', error: thrownError(error) }));
    return { answer, ...(contextBytes < limits.contextBytes && { window: contextBytes }) };
  };
}

/** The caller of a session proposes from its own context. */
const NO_REQUEST: ModelRequest = { messages: [], dialect: 'femtoclaw', tools: [], proposalSchema: {}, maxTokens: 0 };

/** The limits of a run, reduced to the model's window: to no less than the least of the limit. */
export function within<T extends Pick<RunLimits, RunLimitOf<'request'>>>(
  limits: T,
  window: ModelWindow | undefined,
): T {
  const { contextBytes = limits.contextBytes, maxTokens = limits.answerTokens } = window ?? {};
  return {
    ...limits,
    contextBytes: Math.min(limits.contextBytes, Math.max(contextBytes, RUN_LIMIT_ROWS.contextBytes.least)),
    answerTokens: Math.min(limits.answerTokens, maxTokens),
  };
}

/** The capabilities, proposal schema and instructions for a model, and the policy that they were made from. */
interface Offer {
  readonly policy: RunState['policy'];
  readonly opening: readonly Message[];
  readonly tools: ReturnType<typeof callable>;
  readonly schema: ReturnType<typeof proposalSchema>;
}

/** The current offer: the last offer, unless the policy has changed since. */
function offerOf(state: RunState, { symbols, opening: length = 'full' }: Setting, last: Offer | undefined): Offer {
  if (last?.policy === state.policy) return last;
  return {
    policy: state.policy,
    opening: length === 'none' ? [] : [opening(state, symbols, length)],
    tools: callable(state),
    schema: proposalSchema(state),
  };
}
