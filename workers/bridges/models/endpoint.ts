import { ModelError } from '../../../core/model-error.ts';
import type { ModelPort } from '../../api.ts';
import { LATE, within } from '../../async.ts';
import { endpointFailure, endpointInvalid } from './failure.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { Secrets } from './secrets.ts';

export interface EndpointOptions extends Patience {
  /** Base of `/chat/completions` and `/models`, for example `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Kept in memory, sent to `baseUrl` only, and never part of an id, an error or a record. */
  readonly apiKey?: string;
  /** Sent with each request, and kept as secret as the key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** An endpoint and its requests. Its secrets are in a closure and cannot be listed. */
export interface Endpoint {
  readonly base: string;
  readonly origin: string;
  readonly locality: NonNullable<ModelPort['locality']>;
  /** Throws `model_failed` where no answer came; an error status is an answer. */
  ask(path: string, body?: unknown, signal?: AbortSignal): Promise<Response>;
  /** The key and the sent headers, to hide where the server repeats them. */
  readonly secrets: Secrets;
  /** Asks without the key, to find out why `ask` failed. */
  knock(path: string, init: RequestInit): Promise<Response>;
}

/** Throws `endpoint_invalid` for a URL or a header that could never work, and `key_short`. */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const url = baseOf(options.baseUrl);
  if (options.apiKey !== undefined) assertPrivate(url);
  const headers = headersOf(options);
  const secrets = secretsOf(options, url);
  const base = url.href.replace(/\/+$/, '');
  const send = options.fetch ?? ((input: string, init?: RequestInit) => fetch(input, init));
  return {
    base,
    origin: url.origin,
    locality: isLoopback(url.hostname) ? { kind: 'local' } : { kind: 'remote', origin: url.origin },
    async ask(path, body, signal) {
      const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const late = new AbortController();
      const ends = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]);
      try {
        const sent = send(base + path, { ...ALONE, ...post, headers, signal: ends });
        const answer = await within(sent, options.waitMs ?? PATIENCE.waitMs);
        if (answer !== LATE) return answer;
        sent.catch(() => undefined);
        late.abort();
        throw endpointFailure('timeout', { seconds: (options.waitMs ?? PATIENCE.waitMs) / 1000 });
      } catch (error) {
        if (error instanceof ModelError) throw error;
        // The platform's error may quote the request.
        if (signal?.aborted || (error instanceof DOMException && error.name === 'AbortError'))
          throw new DOMException('The request was aborted.', 'AbortError');
        throw endpointFailure(isAbort(error) ? 'timeout' : 'unreachable');
      }
    },
    secrets,
    knock: (path, init) => send(base + path, { ...ALONE, ...init }),
  };
}

/** Requests carry no data of the page and follow no redirect, which would take the key to another origin. */
export const ALONE = {
  redirect: 'error',
  credentials: 'omit',
  referrerPolicy: 'no-referrer',
  cache: 'no-store',
} as const;

function baseOf(text: string): URL {
  const url = serverUrl(text, 'base URL');
  if (url.search !== '' || url.hash !== '') throw endpointInvalid('the base URL has a query or a fragment');
  return url;
}

/** The URL of a server. Throws `endpoint_invalid`, whose message names the option and never quotes it. */
export function serverUrl(text: string, option: string): URL {
  if (!URL.canParse(text)) throw endpointInvalid(`the ${option} cannot be parsed`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw endpointInvalid(`the ${option} is not http or https`);
  if (url.username !== '' || url.password !== '') throw endpointInvalid(`the ${option} holds a password`);
  return url;
}

/** Throws `endpoint_invalid` for a URL to which a key would travel in plain text. */
export function assertPrivate({ protocol, hostname }: URL): void {
  if (protocol === 'http:' && !isLoopback(hostname))
    throw endpointInvalid('a key is sent over https, or to this device; anybody on the way could read it');
}

function headersOf({ apiKey, headers = {} }: EndpointOptions): Readonly<Record<string, string>> {
  const all = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    ...headers,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  for (const [name, value] of Object.entries(all))
    assertHeader(name, value, name === 'authorization' && apiKey !== undefined ? 'the key' : 'a header');
  return all;
}

/** Refuses an invalid value before the platform does, because the platform's error would quote it. */
export function assertHeader(name: string, value: string, what = 'a header'): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw endpointInvalid('a header has a name that no header can have');
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    throw endpointInvalid(`${what} holds a character that cannot be sent`);
}

/** A server on this device mostly wants any word as its key: a short one is no secret. */
function secretsOf({ apiKey, headers = {} }: EndpointOptions, { hostname }: URL): Secrets {
  const secrets = new Secrets();
  if (isLoopback(hostname)) secrets.add(apiKey);
  else if (apiKey !== undefined) secrets.addKey(apiKey, 'apiKey');
  secrets.addHeaders(Object.entries(headers));
  return secrets;
}

/**
 * True for this device only: a resolver decides where a name below `localhost` leads. Sallyport cannot know where a
 * program that listens on this device sends its input.
 */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
