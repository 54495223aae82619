import { isCount } from '../../../../core/json/value.ts';
import { demand, OBJECT, type OptionType, type OptionTypes, optionsOf, TEXT } from '../../../../core/option.ts';
import { relaxSchema } from '../../../../core/schema/relax/relax.ts';
import type { ModelPort, ModelRequest, ModelWindow } from '../../../api.ts';
import { BYTES_MAX, type Completion, finishOf, wellFormed } from '../completion.ts';
import { endpointFailure } from '../failure.ts';
import { engineFailure, makeEngineQueue } from './engine.ts';

/** A request as WebLLM takes it. */
export interface WebLlmRequest {
  model: string;
  stream: true;
  stream_options: { include_usage: true };
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  max_tokens: number;
  temperature: number;
  seed?: number;
  /** WebLLM takes the schema as text. */
  response_format: { type: 'json_object'; schema: string };
}

/** A piece of an answer. The last piece has no choice, and the usage. */
export interface WebLlmChunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** The part of WebLLM's `MLCEngineInterface` that is used. */
export interface WebLlmEngine {
  readonly chat: {
    readonly completions: { create(request: WebLlmRequest): Promise<AsyncIterable<WebLlmChunk>> };
  };
  /** Ends the answer under way. */
  interruptGenerate(): unknown;
}

export interface WebLlmOptions {
  /** Name of the model that the engine has loaded. */
  readonly model: string;
  /** Room of the model, where it is less than the limits of a run. */
  readonly window?: ModelWindow;
}

const OPTIONS: OptionTypes = { model: TEXT, window: OBJECT };

const ENGINE: OptionType = [
  'an engine of WebLLM',
  (value) => typeof (Object(value) as Partial<WebLlmEngine>).interruptGenerate === 'function',
];

/**
 * A model that WebLLM runs on this device's GPU. The answer is constrained by the proposal schema and passed on
 * unchanged. The engine generates one answer at a time, so proposals wait for each other. Fails with a `ModelError`;
 * throws `option_invalid`.
 *
 * @example const engine = await CreateMLCEngine('Qwen3-1.7B-q4f16_1-MLC');
 *   const model = fromWebLlm(engine, { model: 'Qwen3-1.7B-q4f16_1-MLC' });
 *
 * @experimental
 */
export function fromWebLlm(engine: WebLlmEngine, options: WebLlmOptions): ModelPort {
  demand('engine', engine, ENGINE);
  const { model, window } = optionsOf(options, OPTIONS, ['model']);
  const queue = makeEngineQueue();
  return {
    id: `web-llm:${model}`,
    provider: 'web-llm',
    name: model,
    locality: { kind: 'local' },
    ...(window !== undefined && { window }),
    propose: (request, { signal, onText }) =>
      queue(signal, () => answerOf(engine, requestOf(request, model), signal, onText)),
  };
}

function requestOf({ messages, proposalSchema, maxTokens, seed }: ModelRequest, model: string): WebLlmRequest {
  const { schema } = relaxSchema(proposalSchema, 'xgrammar');
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: maxTokens,
    temperature: 0,
    ...(seed !== undefined && { seed }),
    response_format: { type: 'json_object', schema: JSON.stringify(schema) },
  };
}

/**
 * Reads an answer to its end, also after an abort: the engine answers no later request while a stream is left open. An
 * interruption before the first token is lost, so that each later piece repeats it.
 */
async function answerOf(
  engine: WebLlmEngine,
  request: WebLlmRequest,
  signal: AbortSignal,
  onText: ((text: string) => void) | undefined,
): Promise<Completion> {
  const stop = (): void => void engine.interruptGenerate();
  signal.addEventListener('abort', stop, { once: true });
  const answer = new WebLlmAnswer();
  try {
    for await (const chunk of await engine.chat.completions.create(request)) {
      const piece = answer.add(chunk);
      if (signal.aborted || answer.isTooLong) stop();
      else if (piece !== '') onText?.(piece);
    }
    signal.throwIfAborted();
    return answer.whole();
  } catch (error) {
    signal.throwIfAborted();
    throw engineFailure('WebLLM', error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

class WebLlmAnswer {
  #text = '';
  #finish: Completion['finish'];
  #usage: Completion['usage'];

  /** The piece's text. */
  add({ choices: [choice], usage }: WebLlmChunk): string {
    const piece = choice?.delta.content ?? '';
    if (!this.isTooLong) this.#text += piece;
    this.#finish = finishOf(choice?.finish_reason) ?? this.#finish;
    const { prompt_tokens: input, completion_tokens: output } = usage ?? {};
    if (isCount(input) && isCount(output)) this.#usage = { input, output };
    return piece;
  }

  get isTooLong(): boolean {
    return this.#text.length > BYTES_MAX;
  }

  whole(): Completion {
    if (this.isTooLong) throw endpointFailure('too_long');
    // also for `abort`: another part of the program has interrupted the engine
    if (this.#finish === undefined) throw endpointFailure('cut_off');
    return {
      text: wellFormed(this.#text),
      finish: this.#finish,
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }
}
