import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLoopback, LOOPBACK_NAMES } from './options.ts';

/** Who may ask an HTTP server. */
export interface HttpRules {
  readonly token: string | undefined;
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

/** An answer of HTTP that ends a request before the protocol sees it. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: { readonly [name: string]: string };
  /** The request has the token, so that it is recorded. */
  readonly isKnown?: true;
}

export const PATH = '/mcp';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

/** Names that `Host` may have, without the port. */
export function hostsFor(host: string, allowed: readonly string[] | undefined): ReadonlySet<string> {
  if (allowed !== undefined) return new Set(allowed.map((name) => name.toLowerCase()));
  const own = host.includes(':') ? `[${host}]` : host;
  return new Set(isLoopback(host) ? [...LOOPBACK_NAMES, own.toLowerCase()] : [own.toLowerCase()]);
}

/**
 * The reason to refuse a request, before its body is read. `Host` is compared first: a page that has changed the address
 * of its own name reaches this server with that name in `Host`. Then come `Origin`, path, method, token and type.
 */
export function refusalOf(
  { headers, method = '', url = '' }: IncomingMessage,
  rules: HttpRules,
): HttpRefusal | undefined {
  const fault = refusedPlace(headers, rules);
  if (fault !== undefined) return fault;
  if (url.split('?')[0] !== PATH) return { status: 404, message: `The server is at ${PATH}.` };
  if (method === 'OPTIONS' && headers.origin !== undefined) return undefined;
  if (!METHODS.has(method))
    return { status: 405, message: 'Use GET, POST or DELETE.', headers: { allow: 'GET, POST, DELETE' } };
  if (rules.token !== undefined && !isToken(headers.authorization, rules.token))
    return {
      status: 401,
      message: 'Send the token as Authorization: Bearer TOKEN.',
      headers: { 'www-authenticate': 'Bearer' },
    };
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (method === 'POST' && type !== 'application/json')
    return { status: 415, message: 'Send application/json.', isKnown: true };
  return undefined;
}

function refusedPlace({ host, origin }: IncomingHttpHeaders, { hosts, origins }: HttpRules): HttpRefusal | undefined {
  const name = host?.toLowerCase().replace(/:\d+$/, '');
  if (name === undefined || !hosts.has(name))
    return { status: 403, message: 'The header Host names no allowed host. Add it to allowedHosts.' };
  if (origin !== undefined && !origins.has(origin))
    return { status: 403, message: 'The header Origin names no allowed origin. Add it to allowedOrigins.' };
  return undefined;
}

/** Compares digests, so that the time tells neither the length nor the beginning of the token. */
function isToken(given: string | undefined, token: string): boolean {
  const [, word = ''] = /^Bearer +(\S+)$/i.exec(given ?? '') ?? [];
  return timingSafeEqual(digest(word), digest(token));
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** Headers that let an allowed page read the answer. */
export function pageHeaders(origin: string | undefined): { readonly [name: string]: string } {
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version',
    vary: 'origin',
  };
}

/** Headers of the answer to a page that asks in advance. */
export const PREFLIGHT: { readonly [name: string]: string } = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};
