import { utf8Length } from '../../../core/json/utf8.ts';
import { ModelError } from '../../../core/model-error.ts';
import { CALLBACK, COUNT, each, OBJECT, type OptionTypes, oneOf, optionsOf, TEXT } from '../../../core/option.ts';
import type { ModelPort, ModelWindow } from '../../api.ts';
import { textWithin } from './body.ts';
import { type ChatAnswer, readCompletion } from './completion.ts';
import { type EndpointTest, type EndpointTestOptions, testConnection } from './connection.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';
import { endpointFailure } from './failure.ts';
import { type ResponseFormat, SERVER_PRESETS, type ServerName, type ServerPreset } from './presets.ts';
import { type Probe, probe } from './probe.ts';
import { answerOf, bodyOf, type RequestForm } from './request-body.ts';
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
  /** Further members of each request, for example `temperature` or `reasoning_effort`. */
  readonly body?: object;
}

const FORMATS = ['json_schema', 'openai-strict', 'json_object', 'none'] as const;

const OPENAI: OptionTypes = {
  ...each(['baseUrl', 'model', 'apiKey'], TEXT),
  ...each(['headers', 'body', 'window'], OBJECT),
  fetch: CALLBACK,
  preset: oneOf(...Object.keys(SERVER_PRESETS)),
  tools: oneOf('native', 'json'),
  responseFormat: oneOf(...FORMATS),
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
 * proposal is a single request, and its answer is passed on unchanged: without parsing, repair or retry. Fails with a
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
  const { model, body, window, baseUrl = server.baseUrl ?? '' } = options;
  const endpoint = openEndpoint({ ...options, baseUrl });
  const { tools = 'json', responseFormat = 'json_schema' } = { ...server, ...given(options) };
  let form: RequestForm = { ...server, model, body, tools, responseFormat };
  return {
    id: `openai-compatible:${endpoint.origin}/${model}`,
    ...(server.provider !== undefined && { provider: server.provider }),
    name: model,
    locality: endpoint.locality,
    ...(window !== undefined && { window }),
    tools,
    get responseFormat() {
      return form.responseFormat;
    },
    async propose(request, { signal, onText }) {
      const response = await endpoint.ask('/chat/completions', bodyOf(request, form, 'streamed'), signal);
      if (!response.ok) throw await refusalOf(endpoint, response);
      const { secrets } = endpoint;
      const pieces = secrets.pieces();
      const tell = (piece: string): void => void (piece !== '' && onText?.(piece));
      const heard = onText && ((piece: string): void => tell(pieces.push(piece)));
      const answer = await readCompletion(response, heard).catch((error: unknown) => {
        throw error instanceof ModelError ? hidden(endpoint, error) : error;
      });
      tell(pieces.rest());
      return answerOf(withoutKeys(answer, secrets), request, form);
    },
    async probe(signal) {
      const found = await probe(endpoint, form, signal);
      form = { ...form, responseFormat: found.responseFormat };
      return found;
    },
    testEndpoint: (test) => testConnection(endpoint, model, test),
  };
}

/** A server may put the key into its model's words, and they are recorded. */
function withoutKeys({ text, calls, ...facts }: ChatAnswer, secrets: Secrets): ChatAnswer {
  return {
    ...facts,
    text: typeof text === 'string' ? secrets.hide(text) : secrets.cover(text),
    ...(calls && { calls: calls.map(({ name, args }) => ({ name: secrets.hide(name), args: secrets.hide(args) })) }),
  };
}

/** The options of a form that the program has set. */
function given({ tools, responseFormat }: OpenAIOptions): Partial<RequestForm> {
  return { ...(tools !== undefined && { tools }), ...(responseFormat !== undefined && { responseFormat }) };
}

/** Bytes that are read of a server's refusal text, and UTF-16 units that are shown. */
const SAID = { read: 8192, told: 2048 } as const;

async function refusalOf(endpoint: Endpoint, response: Response): Promise<ModelError> {
  const { status, headers } = response;
  const { secrets } = endpoint;
  const said = await textWithin(response, SAID.read).catch(() => '');
  const isCut = utf8Length(said) >= SAID.read;
  const afterMs = delayIn(headers.get('retry-after'));
  const told = {
    ...(said === '' ? {} : { said: (isCut ? secrets.hideCut(said) : secrets.hide(said)).slice(0, SAID.told) }),
    ...(afterMs !== undefined && { afterMs }),
  };
  return endpointFailure('status', { status, ...told });
}

function hidden(endpoint: Endpoint, error: ModelError): ModelError {
  const { message, retryable, said, details } = error;
  if (said === undefined) return error;
  return new ModelError(message, { retryable, said: endpoint.secrets.hide(said).slice(0, SAID.told) }, details);
}
