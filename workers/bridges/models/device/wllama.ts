import type { JsonObject } from '../../../../core/json/value.ts';
import { ModelError } from '../../../../core/model-error.ts';
import { OBJECT, type OptionTypes, oneOf, optionsOf, TEXT } from '../../../../core/option.ts';
import { relaxSchema } from '../../../../core/schema/relax/relax.ts';
import type { ModelPort, ModelRequest, ModelWindow } from '../../../api.ts';
import { type ChatAnswer, StreamedAnswer } from '../completion.ts';
import { makeEngineQueue } from './engine.ts';

/** The part of a `Wllama` of `@wllama/wllama` 3 that the adapter uses. */
export interface WllamaLike {
  isModelLoaded(): boolean;
  getLoadedContextInfo(): { readonly n_ctx: number; readonly n_vocab: number };
  createChatCompletion(options: WllamaRequest): Promise<unknown>;
}

/** A request to wllama for a streamed answer. */
export interface WllamaRequest {
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  max_tokens: number;
  seed?: number;
  response_format?: { type: 'json_schema'; json_schema: { name: string; schema: JsonObject; strict: boolean } };
  stream: true;
  abortSignal: AbortSignal;
  onData: (chunk: object) => void;
}

export interface WllamaOptions {
  /** Name of the model in the records. */
  readonly id: string;
  /** Room of the model; by default it is taken from the context with which the model was loaded. */
  readonly window?: ModelWindow;
  /** `json_schema` holds the model to the form of a proposal. `none` leaves the form to the instructions. */
  readonly responseFormat?: 'json_schema' | 'none';
  /** Further members of each request, for example `temperature` or `top_k`. */
  readonly body?: object;
}

const OPTIONS: OptionTypes = {
  id: TEXT,
  window: OBJECT,
  responseFormat: oneOf('json_schema', 'none'),
  body: OBJECT,
};

/**
 * A model in the GGUF format that wllama has loaded: it runs on this device, in this realm or in the worker of
 * `serveModel`. Requests wait for each other, because they share the context of the model. The answer is passed on
 * unchanged. Fails with a `ModelError`; throws `option_invalid`.
 *
 * @experimental
 */
export function fromWllama(instance: WllamaLike, options: WllamaOptions): ModelPort {
  const { id, window = windowOf(instance), ...form } = optionsOf(options, OPTIONS, ['id']);
  const queue = makeEngineQueue();
  return {
    id,
    provider: 'wllama',
    name: id,
    locality: { kind: 'local' },
    ...(window !== undefined && { window }),
    propose: (request, { signal, onText }) => queue(signal, () => complete(instance, request, form, signal, onText)),
  };
}

type Form = Pick<WllamaOptions, 'responseFormat' | 'body'>;

async function complete(
  instance: WllamaLike,
  request: ModelRequest,
  form: Form,
  signal: AbortSignal,
  onText: ((text: string) => void) | undefined,
): Promise<ChatAnswer> {
  const answer = new StreamedAnswer('delta', { onText });
  const onData = (chunk: object): void => answer.add(chunk as JsonObject);
  await instance
    .createChatCompletion({ ...bodyOf(request, form), stream: true, abortSignal: signal, onData })
    .catch((error: unknown) => {
      throw failureOf(error);
    });
  if (!answer.finished) throw failure('cut_off');
  return answer.completion();
}

function bodyOf(
  { messages, proposalSchema, maxTokens, seed }: ModelRequest,
  { responseFormat = 'json_schema', body = {} }: Form,
): Pick<WllamaRequest, 'messages' | 'max_tokens' | 'seed' | 'response_format'> {
  const { schema } = relaxSchema(proposalSchema, 'llama.cpp');
  const json_schema = { name: 'proposal', schema, strict: true };
  const usage = { stream_options: { include_usage: true } };
  return {
    ...body,
    ...usage,
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: maxTokens,
    ...(seed !== undefined && { seed }),
    ...(responseFormat === 'json_schema' && { response_format: { type: 'json_schema', json_schema } }),
  };
}

/** Tokens of the longest answer, where the context has room for it. */
const ANSWER_TOKENS = 1024;
/** Vocabularies below this size have single bytes or characters; larger ones hold two bytes of JSON in a token, and more. */
const SMALL_VOCABULARY = 1000;

/**
 * The context holds instructions, history and answer: the answer gets a quarter at most, the history half of the rest.
 * wllama counts tokens, a run bytes.
 */
function windowOf(instance: WllamaLike): ModelWindow | undefined {
  if (!instance.isModelLoaded()) return undefined;
  const { n_ctx: tokens, n_vocab: vocabulary } = instance.getLoadedContextInfo();
  // wllama counts a model as loaded where its engine could not load it.
  if (!(tokens > 0)) throw failure('not_loaded');
  const maxTokens = Math.max(1, Math.min(ANSWER_TOKENS, Math.floor(tokens / 4)));
  const bytesPerToken = vocabulary < SMALL_VOCABULARY ? 1 : 2;
  return { contextBytes: Math.max(1, Math.floor(((tokens - maxTokens) / 2) * bytesPerToken)), maxTokens };
}

/** Messages for a model that gave no answer. They are recorded, so they hold no text of the engine. */
const MESSAGES = {
  not_loaded: 'The model is not loaded.',
  context: 'The request is longer than the context of the model.',
  crashed: 'The engine of the model has stopped. Load the model again.',
  cut_off: 'The answer ended before the model had finished.',
  refused: 'The engine of the model did not answer.',
} as const;

/** No fault passes by itself: the same request meets the same engine. */
function failure(fault: keyof typeof MESSAGES, said?: string): ModelError {
  return new ModelError(MESSAGES[fault], { retryable: false, ...(said !== undefined && { said }) }, { fault });
}

/** The failure for the run, from an error of wllama, or from the text that a dead engine answers with. */
function failureOf(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { name, message, type } = Object(error) as { readonly [member: string]: unknown };
  const said = String(message ?? error);
  if (type === 'model_not_loaded') return failure('not_loaded');
  if (type === 'kv_cache_full' || /context size|context length/i.test(said)) return failure('context', said);
  if (name === 'RuntimeError' || /crashed/i.test(said)) return failure('crashed', said);
  return failure('refused', said);
}
