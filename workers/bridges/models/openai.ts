import { canonicalize } from '../../../core/json/canonical.ts';
import { utf8Length } from '../../../core/json/utf8.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { ModelError } from '../../../core/model-error.ts';
import {
  CALLBACK,
  COUNT,
  each,
  OBJECT,
  type OptionTypes,
  oneOf,
  optionsOf,
  POSITIVE,
  TEXT,
} from '../../../core/option.ts';
import type { ModelPort, ModelRequest, ModelWindow } from '../../api.ts';
import { LATE, within } from '../../async.ts';
import { textWithin } from './body.ts';
import { type ChatAnswer, readCompletion } from './completion.ts';
import { type EndpointTest, type EndpointTestOptions, testConnection } from './connection.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';
import { endpointFailure } from './failure.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { type ResponseFormat, SERVER_PRESETS, type ServerName, type ServerPreset } from './presets.ts';
import { type Probe, probe } from './probe.ts';
import { answerOf, bodyOf, type RequestForm, withoutRefused } from './request-body.ts';
import { delayIn } from './retry-after.ts';
import type { Secrets } from './secrets.ts';

/** Options of a server; each that is given replaces the preset's. `baseUrl` is needed without a preset. */
export interface OpenAIOptions extends Partial<Pick<EndpointOptions, 'baseUrl'>>, Omit<EndpointOptions, 'baseUrl'> {
  /** A known server: its address, and the form of its requests. */
  readonly preset?: ServerName;
  /**
   * `native`: proposals are calls of the server's own tools, one at a time. `json`: proposals are JSON text, as
   * `responseFormat` says. A run in the dialect `catalytic` is always asked for JSON text.
   */
  readonly tools?: 'native' | 'json';
  /** Form of a JSON answer until a `probe`; by default the form that most servers accept. */
  readonly responseFormat?: ResponseFormat;
  /** Room of the model, where it is less than the limits of a run. */
  readonly window?: ModelWindow;
  /**
   * Further members of each request, for example `temperature` or `reasoning_effort`. A member that is `undefined` is left
   * out of each request, for example `parallel_tool_calls` for a server that refuses it.
   */
  readonly body?: object;
  /** `optional`: a server that gives no finish reason; `[DONE]` ends its answers. A stream is else cut off without one. */
  readonly finish?: 'required' | 'optional';
}

const FORMATS = ['json_schema', 'openai-strict', 'json_object', 'none'] as const;

const OPENAI: OptionTypes = {
  ...each(['baseUrl', 'model', 'apiKey'], TEXT),
  ...each(['headers', 'body', 'window'], OBJECT),
  fetch: CALLBACK,
  preset: oneOf(...Object.keys(SERVER_PRESETS)),
  tools: oneOf('native', 'json'),
  responseFormat: oneOf(...FORMATS),
  finish: oneOf('required', 'optional'),
  ...each(['waitMs', 'silenceMs'], POSITIVE),
};
const TEST: OptionTypes = { timeoutMs: COUNT, page: TEXT };

function needed(options: OpenAIOptions | undefined): readonly string[] {
  return options?.preset === undefined ? ['baseUrl', 'model'] : ['model'];
}

export interface OpenAIPort extends ModelPort {
  readonly locality: NonNullable<ModelPort['locality']>;
  readonly tools: 'native' | 'json';
  readonly responseFormat: ResponseFormat;
  /** Finds out which form of JSON answer the server understands, and uses it from then on. */
  probe(signal?: AbortSignal): Promise<Probe>;
  testEndpoint(options?: EndpointTestOptions): Promise<EndpointTest>;
}

/**
 * A model behind a server that speaks OpenAI's protocol: Ollama, llama.cpp, LM Studio, vLLM, and hosted ones. Each
 * proposal is a single request, a second one where the server refuses a member that it can do without, and its answer is
 * passed on unchanged: without parsing, repair or retry. Fails with a
 * `ModelError`; throws `endpoint_invalid` and `option_invalid`.
 */
export function fromOpenAI(options: OpenAIOptions): OpenAIPort {
  const port = openPort(optionsOf(options, OPENAI, needed(options)));
  const { testEndpoint } = port;
  return Object.assign(port, {
    testEndpoint: async (test?: EndpointTestOptions) => testEndpoint(optionsOf(test, TEST)),
  });
}

/** Checks the options for a model in a worker: `fetch` is refused, because no function crosses to a worker. */
export function settingsOf<T extends OpenAIOptions & { readonly assets?: string }>(given: T): T {
  return optionsOf(given, { ...OPENAI, fetch: ['left out', () => false], assets: TEXT }, needed(given));
}

/** As `fromOpenAI`, for options that are already checked. */
export function openPort({ preset, ...options }: OpenAIOptions): OpenAIPort {
  const server: Partial<ServerPreset> = preset === undefined ? {} : SERVER_PRESETS[preset];
  const { model, body, window, baseUrl = server.baseUrl ?? '', waitMs, silenceMs, finish } = options;
  const reading = {
    ...(waitMs !== undefined && { waitMs }),
    ...(silenceMs !== undefined && { silenceMs }),
    ...(finish !== undefined && { finish }),
  };
  const endpoint = openEndpoint({ ...options, baseUrl });
  const { tools = 'json', responseFormat = 'json_schema' } = { ...server, ...given(options) };
  const id = `openai-compatible:${endpoint.origin}/${model}`;
  let form: RequestForm = { ...server, id, model, body, tools, responseFormat };
  /** Asks a second time where the server refuses a member that it can do without, and leaves it out from then on. */
  const asked = async (request: ModelRequest, signal: AbortSignal): Promise<Response> => {
    const sent = bodyOf(request, form, 'streamed');
    const response = await endpoint.ask('/chat/completions', sent, signal);
    if (response.ok) return response;
    const said = await saidIn(response, options);
    const milder = response.status === 400 || response.status === 422 ? withoutRefused(form, sent, said) : undefined;
    if (milder === undefined) throw refusalOf(endpoint, response, said);
    const again = await endpoint.ask('/chat/completions', bodyOf(request, milder, 'streamed'), signal);
    if (again.ok) {
      form = { ...form, ...leftOut(milder) };
      return again;
    }
    throw refusalOf(endpoint, again, await saidIn(again, options));
  };
  return {
    id,
    ...(server.provider !== undefined && { provider: server.provider }),
    name: model,
    locality: endpoint.locality,
    ...(window !== undefined && { window }),
    tools,
    get responseFormat() {
      return form.responseFormat;
    },
    async propose(request, { signal, onText }) {
      const response = await asked(request, signal);
      const { secrets } = endpoint;
      const pieces = secrets.pieces();
      const tell = (piece: string): void => void (piece !== '' && onText?.(piece));
      const heard = onText && ((piece: string): void => tell(pieces.push(piece)));
      const answer = await readCompletion(response, { ...reading, onText: heard }).catch((error: unknown) => {
        throw error instanceof ModelError ? hidden(endpoint, error) : error;
      });
      tell(pieces.rest());
      return answerOf(withoutKeys(answer, secrets), request, form);
    },
    async probe(signal) {
      const found = await probe(endpoint, form, reading, signal);
      form = { ...form, responseFormat: found.responseFormat };
      return found;
    },
    testEndpoint: (test) => testConnection(endpoint, model, test),
  };
}

/** A server may put the key into its model's words, and they are recorded. */
function withoutKeys({ text, calls, beside, ...facts }: ChatAnswer, secrets: Secrets): ChatAnswer {
  return {
    ...facts,
    ...(beside && { beside: dataWithoutKeys(beside, secrets) }),
    text: typeof text === 'string' ? secrets.hide(text) : secrets.cover(text),
    ...(calls && {
      calls: calls.map(({ name, args, extra }) => ({
        ...(extra && { extra: dataWithoutKeys(extra, secrets) }),
        name: secrets.hide(name),
        args: secrets.hide(args),
      })),
    }),
  };
}

/** A value that nests deeper than any record may is left out. */
function dataWithoutKeys(data: JsonObject, secrets: Secrets): JsonObject {
  return canonicalize(data).ok ? (secrets.hideIn(data) as JsonObject) : {};
}

/** What a milder form leaves out: a probe may have changed the rest. */
function leftOut({ bound, without }: RequestForm): Pick<RequestForm, 'bound' | 'without'> {
  return { ...(bound && { bound }), ...(without && { without }) };
}

/** The options of a form that the program has set. */
function given({ tools, responseFormat }: OpenAIOptions): Partial<RequestForm> {
  return { ...(tools !== undefined && { tools }), ...(responseFormat !== undefined && { responseFormat }) };
}

/** Bytes that are read of a server's refusal text, and UTF-16 units that are shown. */
const SAID = { read: 8192, told: 2048 } as const;

/** The beginning of a refusal's text. A server that falls silent in it has said nothing more. */
async function saidIn(response: Response, { silenceMs = PATIENCE.silenceMs }: Patience): Promise<string> {
  const said = await within(
    textWithin(response, SAID.read).catch(() => ''),
    silenceMs,
  );
  return said === LATE ? '' : said;
}

function refusalOf({ secrets }: Endpoint, { status, headers }: Response, said: string): ModelError {
  const isCut = utf8Length(said) >= SAID.read;
  const afterMs = delayIn(headers.get('retry-after'));
  const told = {
    ...(said === '' ? {} : { said: (isCut ? secrets.hideCut(said) : secrets.hide(said)).slice(0, SAID.told) }),
    ...(afterMs !== undefined && { afterMs }),
  };
  const isOfModel = status === 400 && /"code"\s*:\s*"tool_use_failed"/.test(said);
  return endpointFailure('status', { status, isOfModel, ...told });
}

function hidden(endpoint: Endpoint, error: ModelError): ModelError {
  const { message, retryable, said, details } = error;
  if (said === undefined) return error;
  return new ModelError(message, { retryable, said: endpoint.secrets.hideCut(said).slice(0, SAID.told) }, details);
}
