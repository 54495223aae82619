import {
  CALLBACK,
  LIST,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  SIGNAL,
} from '../../../../core/option.ts';
import { relaxSchema } from '../../../../core/schema/relax/relax.ts';
import type { ModelPort, ModelRequest, ModelWindow } from '../../../api.ts';
import type { Completion } from '../completion.ts';
import {
  answerIn,
  conversationOf,
  createSession,
  failureOfPrompt,
  fitted,
  KeptSessions,
  type OpenPrompt,
  type PromptCall,
  promptFailure,
  tokensWith,
} from './prompt-session.ts';
import type {
  PromptApi,
  PromptAvailability,
  PromptInstructions,
  PromptSampling,
  PromptSession,
  PromptTerms,
} from './prompt-types.ts';

export interface PromptApiOptions {
  /** Default: `LanguageModel` of this page. */
  readonly api?: PromptApi;
  /** Languages of tasks and answers as BCP 47 has them; default `en`. */
  readonly languages?: readonly string[];
  /** Default `most-predictable`. */
  readonly samplingMode?: PromptSampling;
}

export interface PreparationOptions {
  /** Gets the share of the download, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** The browser's own model. */
export interface PromptApiPort extends ModelPort {
  readonly locality: { readonly kind: 'local' };
  /** Window of the model, known after `prepare` or the first proposal. */
  readonly window?: ModelWindow;
  /** `unavailable` also where the browser has no Prompt API. */
  availability(): Promise<PromptAvailability>;
  /** Downloads the model where that is needed. The browser asks for a click before a download. Throws `model_failed`. */
  prepare(options?: PreparationOptions): Promise<void>;
  /** Ends the sessions that are kept for later proposals, and frees their memory. */
  close(): void;
}

const API: OptionType = [
  'the Prompt API of a browser',
  (value) => typeof (Object(value) as Partial<PromptApi>).create === 'function',
];

const OPTIONS: OptionTypes = {
  api: API,
  languages: LIST,
  samplingMode: oneOf('most-predictable', 'predictable', 'balanced', 'creative', 'most-creative'),
};

const PREPARATION: OptionTypes = { onProgress: CALLBACK, signal: SIGNAL };

/**
 * The browser's own model by the Prompt API, in a window of the page. A session is kept while a request begins with the
 * messages that the session has heard. The answer is constrained by the proposal schema and passed on unchanged. The API
 * has no seed. Fails with a `ModelError`; throws `option_invalid`.
 *
 * @example const model = fromPromptApi();
 *   button.onclick = () => model.prepare({ onProgress: (share) => (bar.value = share) });
 *
 * @experimental
 */
export function fromPromptApi(options: PromptApiOptions = {}): PromptApiPort {
  return new BrowserModel(optionsOf(options, OPTIONS));
}

class BrowserModel implements PromptApiPort {
  readonly id = 'prompt-api';
  readonly provider = 'browser';
  readonly locality = { kind: 'local' } as const;
  readonly #given: PromptApi | undefined;
  readonly #terms: PromptTerms;
  readonly #sessions = new KeptSessions();
  window?: ModelWindow;

  constructor({ api, languages = ['en'], samplingMode = 'most-predictable' }: PromptApiOptions) {
    const expected = { type: 'text' as const, languages: [...languages] };
    this.#given = api;
    this.#terms = { expectedInputs: [expected], expectedOutputs: [expected], samplingMode };
  }

  get #api(): PromptApi | undefined {
    return this.#given ?? (globalThis as { readonly LanguageModel?: PromptApi }).LanguageModel;
  }

  async availability(): Promise<PromptAvailability> {
    return (await this.#api?.availability(this.#terms)) ?? 'unavailable';
  }

  async prepare(options: PreparationOptions = {}): Promise<void> {
    const { onProgress, signal } = optionsOf(options, PREPARATION);
    const tell = (event: Event): void => onProgress?.((event as ProgressEvent).loaded);
    const monitor = (target: EventTarget): void => target.addEventListener('downloadprogress', tell);
    await guarded(signal, async () => {
      if ((await this.#availabilityOfApi()) === 'unavailable') throw promptFailure('unavailable');
      const session = await createSession(this.#api as PromptApi, { ...this.#terms, monitor }, signal);
      this.#noteWindow(session);
      session.destroy();
    });
  }

  async propose(
    request: ModelRequest,
    { signal, onText }: { readonly signal: AbortSignal; readonly onText?: (text: string) => void },
  ): Promise<Completion> {
    const { schema } = relaxSchema(request.proposalSchema, 'prompt-api');
    const constraint = { responseConstraint: schema, omitResponseConstraintInput: true } as const;
    const call: PromptCall = { constraint, maxTokens: request.maxTokens, signal, onText };
    return guarded(signal, async () => {
      const open = await this.#open(request, call);
      const answer = await orDestroyed(open.session, answerIn(open, call));
      this.#keep(open, answer);
      return answer;
    });
  }

  close(): void {
    this.#sessions.close();
  }

  async #availabilityOfApi(): Promise<PromptAvailability> {
    if (this.#api === undefined) throw promptFailure('unsupported');
    return this.availability();
  }

  async #open({ messages }: ModelRequest, call: PromptCall): Promise<OpenPrompt> {
    const conversation = conversationOf(messages);
    const { instructions, said, task } = conversation;
    const kept = this.#sessions.take(conversation);
    if (kept !== undefined) {
      const rest = said.slice(kept.heard.length);
      const tokens = await orDestroyed(kept.session, tokensWith(kept.session, rest, call));
      if (tokens !== undefined) return { ...kept, rest, tokens };
      kept.session.destroy();
    }
    const session = await this.#create(instructions, call.signal);
    return { session, instructions, heard: [], ...(await orDestroyed(session, fitted(session, said, task, call))) };
  }

  async #create(content: string, signal: AbortSignal): Promise<PromptSession> {
    const availability = await this.#availabilityOfApi();
    if (availability !== 'available') throw promptFailure(availability === 'unavailable' ? 'unavailable' : 'not_ready');
    const initialPrompts: [] | [PromptInstructions] = content === '' ? [] : [{ role: 'system', content }];
    const session = await createSession(this.#api as PromptApi, { ...this.#terms, initialPrompts }, signal);
    this.#noteWindow(session);
    return session;
  }

  /** A session whose answer was cut off has heard text that no later request holds. */
  #keep({ session, instructions, heard, rest }: OpenPrompt, { text, finish }: Completion): void {
    if (finish !== 'stop' || typeof text !== 'string') return session.destroy();
    this.#sessions.keep({ session, instructions, heard: [...heard, ...rest, { role: 'assistant', content: text }] });
  }

  /** Half of the window for the history, at two bytes a token. The adapter measures each request again. */
  #noteWindow({ contextWindow }: PromptSession): void {
    if (Number.isFinite(contextWindow)) this.window = { contextBytes: Math.floor(contextWindow) };
  }
}

/** A session whose work has failed is ended. */
async function orDestroyed<T>(session: PromptSession, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/** Rejects with the reason of an abort, else with a `ModelError`. */
async function guarded<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw failureOfPrompt(error);
  }
}
