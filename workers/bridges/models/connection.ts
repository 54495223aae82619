import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { textWithin } from './body.ts';
import { type Endpoint, isAbort, isLoopback } from './endpoint.ts';

/** Result of an attempt to reach an endpoint, by the remedy that a person has. */
export type EndpointTest =
  | { readonly status: 'ok'; readonly models: readonly string[] }
  /** The server answers, but has no model of this name. */
  | { readonly status: 'unknown_model'; readonly models: readonly string[] }
  /** No server listens there. */
  | { readonly status: 'unreachable' }
  /** A server listens there, but does not allow this page's origin. */
  | { readonly status: 'cors' }
  /** A page that came over https may ask http of this device only. */
  | { readonly status: 'mixed_content' }
  /** The server redirects to another place, where the key will not be sent. */
  | { readonly status: 'redirected' }
  | { readonly status: 'timeout' }
  | { readonly status: 'unauthorized'; readonly http: number }
  /** `suggestion` is a base URL that answers. */
  | { readonly status: 'wrong_path'; readonly http: number; readonly suggestion?: string }
  /** `said`: the beginning of the server's own words, at most 300 characters. */
  | { readonly status: 'http_error'; readonly http: number; readonly said?: string }
  | { readonly status: 'not_json' };

export interface EndpointTestOptions {
  readonly timeoutMs?: number;
  /** Address of the asking page. */
  readonly page?: string | undefined;
}

/**
 * Asks for the list of models, which costs no tokens, and classifies the answer. No behaviour of a server makes it
 * throw.
 */
export async function testConnection(
  endpoint: Endpoint,
  model: string,
  options: EndpointTestOptions = {},
): Promise<EndpointTest> {
  const { timeoutMs = 10_000, page = here() } = options;
  const { protocol, hostname } = new URL(endpoint.base);
  if (page?.startsWith('https:') === true && protocol === 'http:' && !isLoopback(hostname))
    return { status: 'mixed_content' };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await endpoint.ask('/models', undefined, signal);
    return await judge(endpoint, model, response, signal);
  } catch (error) {
    return signal.aborted || isAbort(error) ? { status: 'timeout' } : explain(endpoint, signal);
  }
}

function here(): string | undefined {
  return (globalThis as { readonly location?: { readonly href: string } }).location?.href;
}

async function judge(
  endpoint: Endpoint,
  model: string,
  response: Response,
  signal: AbortSignal,
): Promise<EndpointTest> {
  const http = response.status;
  if (http === 401 || http === 403) return { status: 'unauthorized', http };
  if (http === 404 || http === 405) return { status: 'wrong_path', http, ...(await suggest(endpoint, signal)) };
  if (!response.ok) return { status: 'http_error', http, ...(await saidIn(endpoint, response)) };
  const models = await modelsOf(response);
  if (models === undefined) return { status: 'not_json' };
  // Ollama lists a model that was asked for without a tag under its default tag.
  const known = models.includes(model) || models.includes(`${model}:latest`);
  return { status: known ? 'ok' : 'unknown_model', models };
}

/** Suggests a base URL; nearly always `/v1` is missing. */
async function suggest(endpoint: Endpoint, signal: AbortSignal): Promise<{ readonly suggestion?: string }> {
  const response = await endpoint.ask('/v1/models', undefined, signal).catch(() => undefined);
  const models = response?.ok === true ? await modelsOf(response).catch(() => undefined) : undefined;
  if (models === undefined) return {};
  return { suggestion: `${endpoint.base}/v1` };
}

/** Bound on a list of models, far above any real list. */
const LIST_BYTES = 1 << 20;

/**
 * The model ids; undefined for anything but `{"data": [{"id": …}, …]}`. Rejects where the connection breaks or is
 * aborted.
 */
/** Bytes of an error that are read, and characters of it that are told. */
const SAID = { bytes: 2000, told: 300 } as const;

/** The server's own words, without the secrets that it was sent. */
async function saidIn({ secrets }: Endpoint, response: Response): Promise<{ readonly said?: string }> {
  const text = await textWithin(response, SAID.bytes).catch(() => '');
  const hidden = text.length >= SAID.bytes ? secrets.hideCut(text) : secrets.hide(text);
  const said = hidden.slice(0, SAID.told).toWellFormed().trim();
  return said === '' ? {} : { said };
}

async function modelsOf(response: Response): Promise<readonly string[] | undefined> {
  const value = parsed(await textWithin(response, LIST_BYTES));
  if (value === undefined || !isObject(value) || !Array.isArray(value.data)) return undefined;
  const ids = (value.data as readonly JsonValue[]).map((row) =>
    isObject(row) && typeof row.id === 'string' ? row.id : undefined,
  );
  return ids.filter((id) => id !== undefined);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Explains a failed request, about which a browser gives no reason. A second request, without the key and without
 * reading the answer, reveals more.
 */
async function explain(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointTest> {
  const there = await endpoint.knock('/models', { redirect: 'manual', signal }).catch(() => undefined);
  if (there !== undefined && (there.type === 'opaqueredirect' || (there.status >= 300 && there.status < 400)))
    return { status: 'redirected' };
  const opaque = await endpoint
    .knock('/models', { mode: 'no-cors', redirect: 'follow', signal })
    .catch(() => undefined);
  return { status: opaque?.type === 'opaque' ? 'cors' : 'unreachable' };
}
