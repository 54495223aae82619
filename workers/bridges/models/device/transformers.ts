import {
  CALLBACK,
  demand,
  OBJECT,
  type OptionType,
  type OptionTypes,
  optionsOf,
  TEXT,
} from '../../../../core/option.ts';
import type { ModelPort, ModelRequest, ModelWindow } from '../../../api.ts';
import { type Completion, wellFormed } from '../completion.ts';
import { endpointFailure } from '../failure.ts';
import { engineFailure, makeEngineQueue } from './engine.ts';

/** A message as transformers.js has it. */
export interface TransformersMessage {
  role: string;
  content: string;
}

/** A pipeline of transformers.js for the task `text-generation`. */
export interface TransformersGenerator {
  (messages: TransformersMessage[], options: never): Promise<unknown>;
  readonly tokenizer: unknown;
}

/** Ends an answer at its next token. */
export interface TransformersStop {
  interrupt(): void;
}

export interface TransformersOptions {
  /** Name of the model that the pipeline has loaded. */
  readonly model: string;
  /** The class of the package. */
  readonly TextStreamer: new (
    tokenizer: never,
    options: {
      skip_prompt: boolean;
      skip_special_tokens: boolean;
      callback_function: (text: string) => void;
      token_callback_function: (tokens: bigint[]) => void;
    },
  ) => object;
  /** The class of the package. */
  readonly InterruptableStoppingCriteria: new () => TransformersStop;
  /** Room of the model, where it is less than the limits of a run. */
  readonly window?: ModelWindow;
}

const OPTIONS: OptionTypes = {
  model: TEXT,
  TextStreamer: CALLBACK,
  InterruptableStoppingCriteria: CALLBACK,
  window: OBJECT,
};

const GENERATOR: OptionType = [
  'a pipeline of transformers.js for text-generation',
  (value) => typeof value === 'function' && 'tokenizer' in value,
];

/**
 * A model that transformers.js runs on this device. The package has no constraint for answers, so the model alone keeps
 * to the form, and the gate refuses an answer that does not. The pipeline generates one answer at a time, so proposals
 * wait for each other. Fails with a `ModelError`; throws `option_invalid`.
 *
 * @example const generator = await pipeline('text-generation', 'onnx-community/Qwen3-0.6B-ONNX', { device: 'webgpu' });
 *   const model = fromTransformers(generator, { model: 'Qwen3-0.6B', TextStreamer, InterruptableStoppingCriteria });
 *
 * @experimental
 */
export function fromTransformers(generator: TransformersGenerator, options: TransformersOptions): ModelPort {
  demand('generator', generator, GENERATOR);
  const given = optionsOf(options, OPTIONS, ['model', 'TextStreamer', 'InterruptableStoppingCriteria']);
  const queue = makeEngineQueue();
  return {
    id: `transformers.js:${given.model}`,
    provider: 'transformers.js',
    name: given.model,
    locality: { kind: 'local' },
    ...(given.window !== undefined && { window: given.window }),
    propose: (request, { signal, onText }) => queue(signal, () => answerOf(generator, given, request, signal, onText)),
  };
}

async function answerOf(
  generator: TransformersGenerator,
  { TextStreamer, InterruptableStoppingCriteria }: TransformersOptions,
  { messages, maxTokens }: ModelRequest,
  signal: AbortSignal,
  onText: ((text: string) => void) | undefined,
): Promise<Completion> {
  const stopping = new InterruptableStoppingCriteria();
  const stop = (): void => stopping.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  let tokens = 0;
  const streamer = new TextStreamer(generator.tokenizer as never, {
    skip_prompt: true,
    skip_special_tokens: true,
    callback_function: (text) => void (signal.aborted || text === '' || onText?.(text)),
    token_callback_function: ({ length }) => void (tokens += length),
  });
  const chat = messages.map(({ role, content }) => ({ role, content }));
  const how = { max_new_tokens: maxTokens, do_sample: false, streamer, stopping_criteria: stopping };
  try {
    const text = textIn(await generator(chat, how as never));
    signal.throwIfAborted();
    return { text: wellFormed(text), finish: tokens >= maxTokens ? 'length' : 'stop' };
  } catch (error) {
    signal.throwIfAborted();
    throw engineFailure('transformers.js', error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The text of the new message: the pipeline answers with the chat and the message behind it. */
function textIn(answer: unknown): string {
  const [first] = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
  const { generated_text: said } = Object(first) as { readonly generated_text?: unknown };
  const { content } = Object(Array.isArray(said) ? said.at(-1) : undefined) as { readonly content?: unknown };
  if (typeof content !== 'string') throw endpointFailure('not_completion');
  return content;
}
