import type { JsonObject } from '../../core/json/value.ts';
import { ModelError } from '../../core/model-error.ts';
import { CALLBACK, COUNT, each, OBJECT, type OptionTypes, oneOf, optionsOf, TEXT } from '../../core/option.ts';
import type { ModelPort, ModelRequest } from '../api.ts';
import { textWithin } from './body.ts';
import { type Completion, readCompletion } from './completion.ts';
import { type EndpointTest, type EndpointTestOptions, testConnection } from './connection.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';
import { endpointFailure } from './failure.ts';

/** Form in which the server is told the proposal's schema. It only helps the model: core decides. */
export type ResponseFormat = 'json_schema' | 'json_object' | 'none';

export interface OpenAIOptions extends EndpointOptions {
  /** Form until a `probe`; by default the form that most servers accept. */
  readonly responseFormat?: ResponseFormat;
}

const OPENAI: OptionTypes = {
  ...each(['baseUrl', 'model', 'apiKey'], TEXT),
  headers: OBJECT,
  fetch: CALLBACK,
  responseFormat: oneOf('json_schema', 'json_object', 'none'),
};
const NEEDED = ['baseUrl', 'model'];
const TEST: OptionTypes = { timeoutMs: COUNT, page: TEXT };

export interface Probe {
  readonly responseFormat: ResponseFormat;
  /** Answer to each form that was tried: an HTTP status, and the model's text. */
  readonly answers: readonly {
    readonly responseFormat: ResponseFormat;
    readonly http: number;
    readonly text?: string;
  }[];
}

export interface OpenAIPort extends ModelPort {
  readonly locality: NonNullable<ModelPort['locality']>;
  readonly responseFormat: ResponseFormat;
  /** Finds out which form the server understands, and uses it from then on. */
  probe(signal?: AbortSignal): Promise<Probe>;
  testEndpoint(options?: EndpointTestOptions): Promise<EndpointTest>;
}

/**
 * A model behind an OpenAI-compatible server: Ollama, llama.cpp, LM Studio, vLLM. Each proposal is a single request,
 * and its answer is passed on unchanged: without parsing, repair, retry or tool calls. Fails with a `ModelError`;
 * throws `endpoint_invalid` and `option_invalid`.
 */
export function fromOpenAI(options: OpenAIOptions): OpenAIPort {
  const port = openPort(optionsOf(options, OPENAI, NEEDED));
  const { testEndpoint } = port;
  return Object.assign(port, {
    testEndpoint: async (test?: EndpointTestOptions) => testEndpoint(optionsOf(test, TEST)),
  });
}

/** Checks the options for a model in a worker: `fetch` is refused, because no function crosses to a worker. */
export function settingsOf<T extends OpenAIOptions & { readonly assets?: string }>(given: T): T {
  return optionsOf(given, { ...OPENAI, fetch: ['left out', () => false], assets: TEXT }, NEEDED);
}

/** As `fromOpenAI`, for options that are already checked. */
export function openPort(options: OpenAIOptions): OpenAIPort {
  const endpoint = openEndpoint(options);
  const { model } = options;
  let responseFormat: ResponseFormat = options.responseFormat ?? 'json_schema';
  return {
    id: `openai-compatible:${endpoint.origin}/${model}`,
    locality: endpoint.locality,
    get responseFormat() {
      return responseFormat;
    },
    async propose(request, { signal, onText }) {
      const body = { ...bodyOf(model, request, responseFormat), stream: true, stream_options: { include_usage: true } };
      const response = await endpoint.ask('/chat/completions', body, signal);
      if (!response.ok) throw await refusalOf(endpoint, response);
      return readCompletion(response, onText).catch((error: unknown) => {
        throw error instanceof ModelError ? hidden(endpoint, error) : error;
      });
    },
    async probe(signal) {
      const found = await probe(endpoint, model, signal);
      ({ responseFormat } = found);
      return found;
    },
    testEndpoint: (test) => testConnection(endpoint, model, test),
  };
}

/**
 * Bytes that are read of a server's refusal text, and UTF-16 units that are shown. More is read than shown, so that no
 * secret is cut in two and escapes removal.
 */
const SAID = { read: 8192, told: 2048 } as const;

async function refusalOf(endpoint: Endpoint, response: Response): Promise<ModelError> {
  const { status, headers } = response;
  const said = await textWithin(response, SAID.read).catch(() => '');
  const afterMs = delayIn(headers.get('retry-after'));
  const told = {
    ...(said === '' ? {} : { said: endpoint.hide(said).slice(0, SAID.told) }),
    ...(afterMs !== undefined && { afterMs }),
  };
  return endpointFailure('status', { status, ...told });
}

function hidden(endpoint: Endpoint, error: ModelError): ModelError {
  const { message, retryable, said, details } = error;
  if (said === undefined) return error;
  return new ModelError(message, { retryable, said: endpoint.hide(said).slice(0, SAID.told) }, details);
}

const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w :-]+$/;

/**
 * ms from now, of the header `Retry-After`: seconds or a date (RFC 9110 10.2.3). A browser may hide the header from a
 * page.
 */
function delayIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  // JavaScript also parses `-5` and `5.5` as dates.
  const at = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function bodyOf(model: string, request: ModelRequest, format: ResponseFormat): JsonObject {
  const { messages, proposalSchema, maxTokens, seed } = request;
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: maxTokens,
    ...(seed !== undefined && { seed }),
    ...formatOf(format, proposalSchema),
  };
}

function formatOf(format: ResponseFormat, schema: JsonObject): JsonObject {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'proposal', schema, strict: true } } };
}

const PROBE: ModelRequest = {
  messages: [{ role: 'user', kind: 'task', content: 'Answer with the JSON object {"ok":true} and nothing else.' }],
  dialect: 'xct',
  tools: [],
  proposalSchema: {
    type: 'object',
    properties: { ok: { const: true } },
    required: ['ok'],
    additionalProperties: false,
  },
  maxTokens: 64,
};

/** The strictest form that the model's answer follows. A server refuses a form by its status; that is no failure. */
async function probe(endpoint: Endpoint, model: string, signal?: AbortSignal): Promise<Probe> {
  const answers: Probe['answers'][number][] = [];
  for (const responseFormat of ['json_schema', 'json_object'] as const) {
    const response = await endpoint.ask('/chat/completions', bodyOf(model, PROBE, responseFormat), signal);
    if (response.status === 401 || response.status === 403)
      throw endpointFailure('status', { status: response.status });
    const completion = response.ok ? await readCompletion(response) : undefined;
    if (completion === undefined) await response.body?.cancel();
    answers.push({ responseFormat, http: response.status, ...textOf(completion) });
    if (completion !== undefined && keepsTo(responseFormat, completion)) return { responseFormat, answers };
  }
  return { responseFormat: 'none', answers };
}

function textOf(completion: Completion | undefined): { readonly text?: string } {
  return typeof completion?.text === 'string' ? { text: completion.text } : {};
}

function keepsTo(format: ResponseFormat, { text }: Completion): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value = JSON.parse(text) as unknown;
    return format === 'json_schema'
      ? JSON.stringify(value) === '{"ok":true}'
      : typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
