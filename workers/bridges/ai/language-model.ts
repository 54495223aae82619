import { decode } from '../../../core/json/decode.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { isCount, isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import type { AnswerFacts } from '../../../core/ledger/kinds/step.ts';
import { ModelError } from '../../../core/model-error.ts';
import {
  CALLBACK,
  demand,
  each,
  OBJECT,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  POSITIVE,
  TEXT,
} from '../../../core/option.ts';
import type { ModelMessage, ModelPort, ModelRequest } from '../../api.ts';
import { LATE, within } from '../../async.ts';
import { BYTES_MAX, type ChatAnswer, type Completion, finishOf, wellFormed } from '../models/completion.ts';
import { isAbort } from '../models/endpoint.ts';
import { endpointFailure } from '../models/failure.ts';
import { type CallDialect, isNative, namesOf, nativeAnswer, nativeOpening, spokenIn } from '../models/native-tools.ts';
import type { ChatCall } from '../models/open-calls.ts';
import { own } from '../models/own.ts';
import { type OpenAnswer, PATIENCE, type Patience, readPieces } from '../models/patience.ts';
import { unwrapped } from '../models/request-body.ts';
import { delayIn } from '../models/retry-after.ts';
import { type Beside, besideOf, type DataOwner, providerDataOf } from '../models/returned.ts';
import { openAIFunction } from '../models/shapes.ts';
import { strictForm } from '../models/strict-schema.ts';
import type { ToolNames } from '../models/tool-names.ts';
import type { AiContent, AiLanguageModel, AiMessage, AiPart, AiPartMembers } from './model.ts';
import { RawInputs } from './written-calls.ts';

/** Terms on which a model of the AI SDK proposes. */
export interface LanguageModelOptions extends Patience {
  /**
   * Place that the model's data goes to, for example `https://api.openai.com`, or `local` for a model on this device. A
   * model of the SDK does not say it.
   */
  readonly origin: string;
  /**
   * `tools` (default): proposals are calls of the provider's own tools, one at a time. `json`: proposals are JSON text.
   * A run in the dialect `catalytic` is always asked for JSON text.
   */
  readonly mode?: 'tools' | 'json';
  /** Options of the provider, handed on with each request. */
  readonly providerOptions?: object;
  /** Name of the model in telemetry; default: the model's own. */
  readonly name?: string;
  /**
   * Gets the model's reasoning while it is written. It is never part of a proposal. Providers demand the reasoning beside
   * a call back, so that alone is recorded, as data of the provider.
   */
  readonly onReasoning?: (text: string) => void;
}

const OPTIONS: OptionTypes = {
  ...each(['origin', 'name'], TEXT),
  mode: oneOf('tools', 'json'),
  providerOptions: OBJECT,
  onReasoning: CALLBACK,
  ...each(['waitMs', 'silenceMs'], POSITIVE),
};

const MODEL: OptionType = [
  'a language model of the AI SDK (specification v2, v3 or v4); make it with a provider, because the id of a gateway reaches a server that the program has not chosen',
  isLanguageModel,
];

function isLanguageModel(value: unknown): boolean {
  const { specificationVersion, doStream } = Object(value) as { [name: string]: unknown };
  return ['v2', 'v3', 'v4'].includes(specificationVersion as string) && typeof doStream === 'function';
}

/**
 * A model of the AI SDK as the model of a run. Each proposal is a single request, and the answer is passed on as the
 * model spelled it: without parsing, repair or retry. Fails with a `ModelError`; throws `option_invalid`, also for the
 * id of a gateway.
 *
 * @example const model = fromLanguageModel(openai('gpt-5'), { origin: 'https://api.openai.com' });
 */
export function fromLanguageModel(model: AiLanguageModel, options: LanguageModelOptions): ModelPort {
  demand('model', model, MODEL);
  const given = optionsOf(options, OPTIONS, ['origin']);
  const { origin, mode = 'tools', name = model.modelId } = given;
  const id = `ai-sdk:${model.provider}/${model.modelId}`;
  return {
    id,
    provider: model.provider.split('.')[0] ?? model.provider,
    name,
    locality: origin === 'local' ? { kind: 'local' } : { kind: 'remote', origin },
    async propose(request, { signal, onText }) {
      const late = new AbortController();
      try {
        const ends = AbortSignal.any([late.signal, signal]);
        const asked = Promise.resolve(model.doStream(callOf(request, mode, { ...given, id }, ends) as never));
        const opened = await within(asked, given.waitMs ?? PATIENCE.waitMs);
        if (opened === LATE) {
          asked.catch(() => undefined);
          throw endpointFailure('timeout', { seconds: (given.waitMs ?? PATIENCE.waitMs) / 1000 });
        }
        const answer = await readAnswer(opened.stream, signal, { ...given, onText });
        return proposalIn(answer, request, mode, id);
      } catch (error) {
        late.abort();
        signal.throwIfAborted();
        throw failureOf(error);
      }
    },
  };
}

type Mode = 'tools' | 'json';

const isCalled = (request: ModelRequest, mode: Mode) => isNative(request, mode === 'tools' ? 'native' : 'json');

function callOf(
  request: ModelRequest,
  mode: Mode,
  { providerOptions, id }: LanguageModelOptions & DataOwner,
  abortSignal: AbortSignal,
): object {
  const { maxTokens, seed } = request;
  return {
    ...(isCalled(request, mode) ? nativeRequest(request as never, id) : jsonRequest(request)),
    maxOutputTokens: maxTokens,
    abortSignal,
    ...(seed !== undefined && { seed }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

function proposalIn(answer: ChatAnswer, request: ModelRequest, mode: Mode, id: string): Completion {
  if (!isCalled(request, mode)) {
    const { calls: _, beside: __, ...said } = answer;
    return { ...said, text: unwrapped(said.text) };
  }
  const completion = nativeAnswer(answer, request as never);
  const providerData = providerDataOf(answer, completion, request, { id });
  return { ...completion, ...(providerData !== undefined && { providerData }) };
}

/** The members of `APICallError` that are read, alike in `@ai-sdk/provider` 2, 3 and 4. */
interface ApiCallError {
  readonly isRetryable?: boolean;
  readonly statusCode?: number;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly responseBody?: string;
}

/** Marks the errors of `APICallError` across the versions of the SDK. */
const API_CALL_ERROR: symbol = Symbol.for('vercel.ai.error.AI_APICallError');

/** UTF-16 units of a server's text that are shown. */
const SAID_MAX = 2048;

/**
 * The failure for the run, of a request that the run has not aborted. A `ModelError` passes unchanged. The message is recorded, so it holds no text of
 * a server and no text of the SDK.
 */
function failureOf(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (isAbort(error)) return endpointFailure('timeout');
  if (Object(error) === error && API_CALL_ERROR in (error as object)) return apiFailure(error as ApiCallError);
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: said(error) };
  const kind = /^\w{1,64}$/.test(name) ? name : 'Error';
  return new ModelError(`The language model of the AI SDK failed with ${kind}.`, {
    retryable: false,
    said: message.slice(0, SAID_MAX),
  });
}

function apiFailure({ isRetryable, statusCode, responseHeaders = {}, responseBody = '' }: ApiCallError): ModelError {
  const fault = statusCode === undefined ? 'unreachable' : 'status';
  const { message, retryable, details } = endpointFailure(
    fault,
    statusCode === undefined ? {} : { status: statusCode },
  );
  const afterMs = waitIn(responseHeaders);
  return new ModelError(
    message,
    {
      retryable: isRetryable ?? retryable,
      ...(afterMs !== undefined && { afterMs }),
      ...(responseBody !== '' && { said: responseBody.slice(0, SAID_MAX) }),
    },
    details,
  );
}

function waitIn(headers: { readonly [name: string]: string }): number | undefined {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const exact = named.get('retry-after-ms');
  return exact !== undefined && /^[0-9]{1,12}$/.test(exact) ? Number(exact) : delayIn(named.get('retry-after') ?? null);
}

function said(error: unknown): string {
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? '');
}

/** Receivers of an answer while it is written. */
interface AnswerListeners extends Patience {
  readonly onText?: ((text: string) => void) | undefined;
  readonly onReasoning?: ((text: string) => void) | undefined;
}

/**
 * Reads the stream of a language model to its end. The model's text and the arguments of its calls stay text. Half an
 * answer is refused, because it could look whole. Throws the error that the stream tells, and `model_failed`.
 */
async function readAnswer(
  stream: ReadableStream<AiPart>,
  signal: AbortSignal,
  listeners: AnswerListeners,
): Promise<ChatAnswer> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const answer = new StreamedParts(listeners);
  try {
    await readPieces(reader, answer, listeners, (part) => {
      signal.throwIfAborted();
      answer.add(part as AiPartMembers);
      return false;
    });
    signal.throwIfAborted();
    return answer.whole();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Types of parts that say nothing: the provider's own and its heartbeats. */
const SILENT: ReadonlySet<string> = new Set(['stream-start', 'response-metadata', 'raw']);

/** Collects the parts of a single answer. */
class StreamedParts implements OpenAnswer {
  progress = 0;

  readonly #listeners: AnswerListeners;
  readonly #pieces: string[] = [];
  readonly #inputs = new RawInputs();
  readonly #calls: ChatCall[] = [];
  #length = 0;
  #usage: AnswerFacts['usage'];
  #reason: string | undefined;
  /** The reasoning, by its id. */
  readonly #thoughts = new Map<string | undefined, Thought>();

  constructor(listeners: AnswerListeners) {
    this.#listeners = listeners;
  }

  add(part: AiPartMembers): void {
    const { type, delta = '', toolName = '' } = part;
    if (!SILENT.has(type)) this.progress++;
    this.#bound(part);
    this.#inputs.add(part);
    if (type === 'error') throw part.error;
    if (type === 'text-delta') this.#pieces.push(delta);
    if (type === 'text-delta' || type === 'tool-input-delta') this.#listeners.onText?.(delta);
    if (type === 'tool-input-start') this.#listeners.onText?.(`${toolName} `);
    if (type === 'reasoning-delta') this.#listeners.onReasoning?.(delta);
    if (type.startsWith('reasoning-')) this.#think(part);
    // A call that the provider itself has executed is no proposal.
    if (type === 'tool-call' && part.providerExecuted !== true)
      this.#calls.push({ name: toolName, args: this.#inputs.end(part), ...extraIn(part) });
    if (type === 'finish') this.#finish(part);
  }

  get finished(): boolean {
    return this.#reason !== undefined;
  }

  /** What has arrived of an answer that did not finish. */
  said(): { readonly said?: string } {
    const text = [this.#pieces.join(''), ...this.#calls.map(({ name, args }) => `${name} ${args}`)].join('\n').trim();
    return text === '' ? {} : { said: text.slice(0, SAID_MAX).toWellFormed() };
  }

  /** The newest data of a provider counts: a signature comes last. */
  #think({ id, delta = '', providerMetadata }: AiPartMembers): void {
    const known = this.#thoughts.get(id) ?? { pieces: [] };
    known.pieces.push(delta);
    this.#thoughts.set(id, { ...known, ...(providerMetadata !== undefined && { metadata: providerMetadata }) });
  }

  #bound({ delta, input }: AiPartMembers): void {
    this.#length += (delta?.length ?? 0) + (input?.length ?? 0);
    if (this.#length > BYTES_MAX) throw endpointFailure('too_long');
  }

  #finish({ usage, finishReason }: AiPartMembers): void {
    const [input, output] = [usage?.inputTokens, usage?.outputTokens].map((told) =>
      typeof told === 'object' ? told.total : told,
    );
    if (isCount(input) && isCount(output)) this.#usage = { input, output };
    this.#reason = typeof finishReason === 'object' ? finishReason.unified : finishReason;
  }

  whole(): ChatAnswer {
    const reason = this.#reason;
    if (reason === 'error') throw endpointFailure('reported');
    const finish = finishOf(reason);
    if (finish === undefined)
      throw endpointFailure('cut_off', reason === undefined ? {} : { said: `finishReason: ${JSON.stringify(reason)}` });
    const open = this.#inputs.open.map(({ name, text }) => ({ name, args: text }));
    const calls = [...this.#calls, ...open];
    return {
      text: wellFormed(this.#pieces.join('')),
      finish,
      ...(calls.length > 0 && { calls, ...besideIn([...this.#thoughts.values()]) }),
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }
}

interface Thought {
  readonly pieces: string[];
  readonly metadata?: unknown;
}

/** The reasoning beside a call; an empty one counts where its provider has sent data with it. */
function besideIn(thoughts: readonly Thought[]): { readonly beside?: JsonObject } {
  const reasoning = thoughts.flatMap(({ pieces, metadata }) => {
    const [text, providerOptions] = [pieces.join(''), jsonOf(metadata)];
    return text === '' && providerOptions === undefined ? [] : [{ text, ...(providerOptions && { providerOptions }) }];
  });
  return reasoning.length === 0 ? {} : { beside: { reasoning } };
}

function extraIn({ providerMetadata }: AiPartMembers): Pick<ChatCall, 'extra'> {
  const extra = jsonOf(providerMetadata);
  return extra === undefined ? {} : { extra };
}

/** A provider's value as JSON; undefined where it is none. */
function jsonOf(value: unknown): JsonObject | undefined {
  try {
    const json = JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue;
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Options of a call to a language model, without the options that every request has. */
interface RequestContent {
  readonly prompt: readonly AiMessage[];
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
  readonly responseFormat?: object;
}

/** A request for proposals that are calls of the provider's own tools. */
function nativeRequest(
  { messages, tools, dialect }: ModelRequest & { dialect: CallDialect },
  id: string,
): RequestContent {
  const names = namesOf({ tools });
  const beside = besideOf(messages, { id });
  const prompt = messages.map((message, at) =>
    nativeMessage(message, messages[at - 1], messages[at + 1], { dialect, names, beside }),
  );
  if (tools.length === 0) return { prompt };
  const list = tools.map((tool) => {
    const { name, description, parameters } = openAIFunction(tool, names.theirs(tool.name)).function;
    return { type: 'function', name, description, inputSchema: parameters };
  });
  return { prompt, tools: list, toolChoice: { type: 'auto' } };
}

/**
 * A request for JSON text. Providers hold their models to a schema by different rules, so the schema has the form that
 * the strictest of them takes: an object with the proposal as its only member.
 */
function jsonRequest({ messages, proposalSchema }: ModelRequest): RequestContent {
  const { schema } = strictForm(proposalSchema);
  const prompt = messages.map(({ role, content }) => messageOf(role, content));
  return { prompt, responseFormat: { type: 'json', schema, name: 'proposal' } };
}

function messageOf(role: ModelMessage['role'], content: string): AiMessage {
  return role === 'system' ? { role, content } : { role, content: [{ type: 'text', text: content }] };
}

/** The parts of the reasoning that was sent beside a call. */
function reasoningIn(message: JsonObject = {}): readonly AiContent[] {
  const { reasoning = [] } = own(message);
  const parts = Array.isArray(reasoning) ? (reasoning as readonly JsonValue[]) : [];
  return parts.flatMap((part) => {
    const { text, providerOptions: data } = isObject(part) ? own(part) : {};
    if (typeof text !== 'string') return [];
    return [
      { type: 'reasoning', text, ...(data !== undefined && isObject(data) && { providerOptions: data }) } as const,
    ];
  });
}

interface Told {
  readonly dialect: CallDialect;
  readonly names: ToolNames;
  readonly beside: ReadonlyMap<string, Beside> | undefined;
}

/**
 * A message as the SDK knows it. A call needs its answer behind it, and arguments that can be parsed without loss; the
 * provider gets any other call as text.
 */
function nativeMessage(
  { role, kind, content, call }: ModelMessage,
  before: ModelMessage | undefined,
  after: ModelMessage | undefined,
  { dialect, names, beside }: Told,
): AiMessage {
  if (kind === 'opening') return messageOf(role, nativeOpening(content));
  const neighbour = kind === 'proposal' ? after : before;
  if (call !== undefined && neighbour?.call?.id === call.id) {
    const args = decode(encodeText(call.args));
    const told = { toolCallId: call.id, toolName: names.theirs(call.name) };
    if (args.ok && kind === 'proposal') {
      const { message, call: providerOptions } = beside?.get(call.id) ?? {};
      const input = JSON.parse(call.args) as unknown;
      const made = { type: 'tool-call', ...told, input, ...(providerOptions && { providerOptions }) } as const;
      return { role: 'assistant', content: [...reasoningIn(message), made] };
    }
    if (args.ok)
      return { role: 'tool', content: [{ type: 'tool-result', ...told, output: { type: 'text', value: content } }] };
  }
  return messageOf(role, kind === 'proposal' ? (spokenIn(dialect, content) ?? content) : content);
}
