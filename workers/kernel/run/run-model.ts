import { encodeText } from '../../../core/json/utf8.ts';
import { allNamed, limitsFor, type RunLimitOf, type RunLimits } from '../../../core/limits.ts';
import { type Message, messages } from '../../../core/run/context.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { answerCutOff, type Notice, TOKENS_NOT_COUNTED } from '../../../core/run/notices.ts';
import { callable, opening, proposalSchema } from '../../../core/run/opening.ts';
import type { RunFacts, RunState } from '../../../core/run/state.ts';
import type { ModelNames } from '../../../core/telemetry/event.ts';
import type { ModelRequest, ModelWindow, OpeningLength } from '../../api.ts';
import { makeDelay } from '../../async.ts';
import type { ModelAnswer, ModelFailure, Ports, Proposer } from '../../ports.ts';
import { thrownError } from '../../thrown.ts';
import type { EffectOf } from './call-scope.ts';

/** The model of a run, and its terms. */
export interface ModelPorts extends Pick<Ports, 'now' | 'nonce'> {
  readonly proposer: Proposer;
  readonly window?: ModelWindow | undefined;
  readonly opening?: OpeningLength | undefined;
  /** Names of the model for telemetry. */
  readonly names?: ModelNames | undefined;
  /** Symbols that the model may refer to. */
  readonly symbols: readonly string[];
  /** ms since epoch at which the model of a resumed run failed. */
  readonly failedAt?: number | undefined;
  /** Notices of the run from its start on. */
  readonly notices?: readonly Notice[];
}

interface ModelFault {
  readonly since: number;
  readonly said?: string | undefined;
}

/** Asks the model of a run, step by step. */
export class RunModel {
  /**
   * Time of the last failure, and what the model's server said about it. That text may hold secrets, so the ledger does
   * not record it.
   */
  failure: ModelFault | undefined;
  notices: readonly Notice[];
  readonly #ports: ModelPorts;
  readonly #request: ReturnType<typeof modelRequester>;
  readonly #delay = makeDelay();

  constructor(ports: ModelPorts) {
    this.#ports = ports;
    this.#request = modelRequester(ports);
    this.notices = ports.notices ?? [];
    this.failure = ports.failedAt === undefined ? undefined : { since: ports.failedAt };
  }

  /** Asks for a proposal. Returns the event of the answer; undefined where the wait before the request was cancelled. */
  async ask({ step, context, after_ms }: EffectOf<'propose'>, state: () => RunState): Promise<RunEvent | undefined> {
    if (after_ms !== undefined && !(await this.#delay.wait(after_ms))) return undefined;
    const { answer, window } = await this.#request(state(), context);
    if ('failed' in answer) return this.#failed(step, answer);
    const proposed = this.#proposed(step, answer, state().facts);
    return window === undefined ? proposed : { ...proposed, window };
  }

  /** Cancels the request in flight, and the wait before a request. */
  cancel(): void {
    this.#delay.giveUp();
    this.#ports.proposer.cancel();
  }

  #proposed(
    step: number,
    { text, goal, providerData, wire, ...answer }: Exclude<ModelAnswer, ModelFailure>,
    { limits, registry, holding }: RunFacts,
  ): Extract<RunEvent, { type: 'proposed' }> {
    if (answer.usage === undefined && limits.tokens !== undefined) this.#note(TOKENS_NOT_COUNTED);
    if (answer.finish === 'length') this.#note(answerCutOff(step, limits.answerTokens));
    const bytes = typeof text === 'string' ? encodeText(text) : text;
    const { nonce, now } = this.#ports;
    const salt = registry.hasSecrets || holding ? { salt: nonce() + nonce() } : {};
    const given = {
      ...(goal !== undefined && { goal }),
      ...(providerData !== undefined && { providerData }),
      ...(wire && { wire }),
    };
    return { type: 'proposed', step, bytes, answer, ...given, now: now(), nonce: nonce(), ...salt };
  }

  /** Adds a notice; it replaces earlier notices of the same code. */
  #note(notice: Notice): void {
    this.notices = [...this.notices.filter(({ code }) => code !== notice.code), notice];
  }

  #failed(step: number, { failed: code, error, retryable, afterMs, said }: ModelFailure): RunEvent {
    this.failure = { since: this.#ports.now(), said };
    return {
      type: 'model_failed',
      step,
      code,
      error,
      ...(retryable && { retryable }),
      ...(afterMs !== undefined && { after_ms: afterMs }),
    };
  }
}

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
function modelRequester(setting: Setting): (state: RunState, context: RunState['context']) => Promise<Answered> {
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

/** The limits of a run, reduced to the model's window, however small: a request that is larger is refused by the model. */
export function within<T extends Pick<RunLimits, RunLimitOf<'request'>>>(
  limits: T,
  window: ModelWindow | undefined,
): T {
  const { contextBytes = limits.contextBytes, maxTokens = limits.answerTokens } = window ?? {};
  return {
    ...limits,
    contextBytes: Math.min(limits.contextBytes, contextBytes),
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
