import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { deferred } from '../../../async.ts';
import { tooLarge, WIRE_LIMITS } from '../wire/message.ts';
import { type Principal, TokenChecker } from './auth.ts';
import type { CallerSession, SessionAsker } from './caller-session.ts';
import { drained } from './drained.ts';
import type { ServedClient, ServedRuntime } from './host.ts';
import { type Incoming, readIncoming, refusalResponse } from './incoming.ts';
import { type HttpPlace, isLoopback, LOOPBACK, LOOPBACK_NAMES, type TokenAuth } from './options.ts';
import { isRecorded, refusalOfError, type ToldError, withCode } from './turned-away.ts';

/** ms in which a request has to arrive. */
const REQUEST_MS = 30_000;

/** Sockets that may be open at a time. */
const SOCKETS_MAX = 512;

/** JSON-RPC's first code for errors of a server's own. */
const SERVER_ERROR = -32_000;

/** JSON-RPC's code of a message that is not served. */
const INVALID_REQUEST = -32_600;

const NO_ID = { jsonrpc: '2.0', id: null };
const NOT_FOUND = {
  ...NO_ID,
  error: { code: -32_001, message: 'Session not found. Initialize again.' },
};

/** Serves clients of both versions of the protocol over HTTP. */
export async function serveHttp(served: ServedRuntime, place: HttpPlace): Promise<HttpServing> {
  const { host = LOOPBACK, port, auth, allowedHosts, allowedOrigins = [] } = place;
  const { token = auth === undefined && randomBytes(32).toString('base64url') } = place;
  const rules: HttpRules = {
    token: token === false ? undefined : token,
    auth: auth && new TokenRules(auth),
    hosts: hostsFor(host, allowedHosts),
    origins: new Set(allowedOrigins),
  };
  const exchange = new HttpExchange(served, rules);
  const server = createServer((request, response) => exchange.serve(request, response));
  server.requestTimeout = REQUEST_MS;
  server.maxConnections = SOCKETS_MAX;
  await listening(server, port, host);
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    address: `http://${shown}:${(server.address() as AddressInfo).port}${PATH}`,
    ...(rules.token !== undefined && { token: rules.token }),
    strangers: exchange.strangers,
    close: async () => {
      const { promise: ended, resolve } = deferred<void>();
      server.close(() => resolve());
      await exchange.close();
      server.closeAllConnections();
      await ended;
    },
  };
}

interface HttpServing {
  readonly address: string;
  readonly token?: string;
  readonly strangers: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

async function listening(server: HttpServer, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = deferred<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise.catch((error: unknown) => {
    const { code = 'unknown' } = error as { readonly code?: string };
    const wants = `an address that is free (${code} at ${host}:${port})`;
    throw new SallyportError('option_invalid', `The option transport has to be ${wants}.`, {
      name: 'transport',
      wants,
    });
  });
}

/** Principals that a server keeps. A session outlives its connections, so none gives way to another. */
const PRINCIPALS_MAX = 1_000;

/** All holders of the one token, or a principal. */
interface Asker {
  readonly key: string;
  /** The client of all its requests without a connection. */
  readonly holder: ServedClient;
  readonly stateless: McpHttpHandler;
}

/** Takes requests: checks them, reads them within bounds, and hands their messages to the SDK. */
class HttpExchange {
  readonly #served: ServedRuntime;
  readonly #rules: HttpRules;
  readonly #connections: HttpConnections;
  readonly #askers = new Map<string, Asker>();
  /** Requests that were turned away without a record, by their status. */
  readonly strangers = new Map<number, number>();
  readonly #leave: () => void;

  constructor(served: ServedRuntime, rules: HttpRules) {
    this.#served = served;
    this.#rules = rules;
    this.#connections = new HttpConnections(served);
    this.#leave = served.onChange(() => {
      for (const { stateless } of this.#askers.values()) stateless.notify.toolsChanged();
    });
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response).catch(() => {
      if (!response.headersSent) sendJson(response, 500, failure('The server failed.'));
      response.destroy();
    });
  }

  async close(): Promise<void> {
    this.#leave();
    await Promise.all([...this.#askers.values()].map(({ stateless }) => stateless.close()));
    await this.#connections.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, this.#rules);
    if (refusal !== undefined) return this.#turnAway(response, refusal);
    const further = pageHeaders(request.headers.origin);
    const { method, url = '/' } = request;
    if (method === 'OPTIONS') return void response.writeHead(204, { ...further, ...PREFLIGHT }).end();
    const metadata = this.#rules.auth?.metadataAt(url);
    if (metadata !== undefined) return sendJson(response, 200, metadata, further);
    const asker = await this.#askerOf(request);
    if ('status' in asker) return this.#turnAway(response, asker);
    const wrong = refusedType(request);
    if (wrong !== undefined) {
      this.#sessionOf(request, asker).reject(refusalOfError({ code: wrong.status, message: wrong.message }));
      return sendRefusal(response, wrong);
    }
    const body = method === 'POST' ? await readBody(request, WIRE_LIMITS.bytes) : undefined;
    if (method === 'POST' && body === undefined) return this.#refuseLong(request, response, asker);
    const incoming = body && readIncoming(body);
    if (incoming !== undefined && 'refusal' in incoming) {
      this.#sessionOf(request, asker).reject(incoming.refusal, body);
      return refuseMessage(response, incoming);
    }
    const answer = await this.#route(webRequest(request, response), incoming, asker);
    const session = this.#sessionOf(request, asker);
    await sendWeb(body === undefined ? answer : await recorded(answer, session, body), response, further);
  }

  /** A stranger's request is counted, and not recorded. */
  #turnAway(response: ServerResponse, refusal: HttpRefusal): void {
    const { status } = refusal;
    this.strangers.set(status, (this.strangers.get(status) ?? 0) + 1);
    sendRefusal(response, refusal);
  }

  /** The asker behind the token of a request, or the answer to a stranger. */
  async #askerOf({ headers }: IncomingMessage): Promise<Asker | HttpRefusal> {
    const { token, auth } = this.#rules;
    if (auth !== undefined) {
      const principal = await auth.principalOf(headers.authorization);
      return 'status' in principal ? principal : this.#asker(`${principal.issuer} ${principal.subject}`);
    }
    if (token !== undefined && !isToken(headers.authorization, token))
      return {
        status: 401,
        message: 'Send the token as Authorization: Bearer TOKEN.',
        headers: { 'www-authenticate': 'Bearer' },
      };
    return this.#asker(HOLDER);
  }

  #asker(key: string): Asker | HttpRefusal {
    const known = this.#askers.get(key);
    if (known !== undefined) return known;
    if (this.#askers.size >= PRINCIPALS_MAX)
      return { status: 503, message: `The server has ${PRINCIPALS_MAX} principals. Restart it, or ask another.` };
    const holder = this.#served.client(key === HOLDER ? undefined : { principal: key, ...this.#rules.auth?.terms });
    const stateless = createMcpHandler(() => this.#served.server(holder, true), { legacy: 'reject' });
    const asker = { key, holder, stateless };
    this.#askers.set(key, asker);
    return asker;
  }

  /** The session of the connection that a request names; without one, that of all requests without a connection. */
  #sessionOf({ headers }: IncomingMessage, asker: Asker): CallerSession {
    const id = headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#connections.find(id, asker) : undefined;
    return (known?.client ?? asker.holder).session;
  }

  /** A request with an id of a connection, or that initializes, is of the version with connections. */
  async #route(request: Request, incoming: { readonly message: unknown } | undefined, asker: Asker): Promise<Response> {
    const message = incoming?.message as never;
    if (message !== undefined && !(await isLegacyRequest(request, message)))
      return asker.stateless.fetch(request, { parsedBody: message });
    const id = request.headers.get('mcp-session-id');
    if (id === null && isInitializeRequest(message))
      return (await this.#connections.open(asker)).handle(request, message);
    if (id === null) return Response.json(failure('Initialize first.'), { status: 400 });
    const connection = this.#connections.find(id, asker);
    return connection === undefined ? Response.json(NOT_FOUND, { status: 404 }) : connection.handle(request, message);
  }

  /** A body over its bound is not read to its end. */
  #refuseLong(request: IncomingMessage, response: ServerResponse, asker: Asker): void {
    const refusal = tooLarge(Number(request.headers['content-length'] ?? WIRE_LIMITS.bytes + 1));
    this.#sessionOf(request, asker).reject(refusal);
    sendJson(response, 413, refusalResponse(null, INVALID_REQUEST, refusal), { connection: 'close' });
  }
}

/** Key of the one asker of a server that has no principals. */
const HOLDER = '';

/** Records a message that an error of HTTP answers, and tells the client the class and the code of the record. */
async function recorded(answer: Response, session: CallerSession, body: Uint8Array): Promise<Response> {
  if (answer.status < 400) return answer;
  const told = (await answer.json().catch(() => ({}))) as { readonly error?: ToldError };
  const { status, headers } = answer;
  const error = told.error ?? { code: status, message: 'the request was refused' };
  if (isRecorded(error)) return Response.json(told, { status, headers });
  const refusal = refusalOfError(error);
  session.reject(refusal, body);
  return Response.json({ ...NO_ID, ...told, error: withCode(error, refusal) }, { status, headers });
}

function refuseMessage(
  response: ServerResponse,
  { refusal, reply, failure: failed }: Exclude<Incoming, { readonly message: unknown }>,
): void {
  sendJson(response, 400, reply ?? { ...(failed ?? refusalResponse(null, INVALID_REQUEST, refusal)), id: null });
}

function sendRefusal(response: ServerResponse, { status, message, code, headers }: HttpRefusal): void {
  const { error } = { error: { code: SERVER_ERROR, message, ...(code && { data: { ...code, by: 'sallyport' } }) } };
  sendJson(response, status, { ...NO_ID, error }, { ...headers, connection: 'close' });
}

function failure(message: string): object {
  return { ...NO_ID, error: { code: SERVER_ERROR, message } };
}

/** A connection of a version that has them: the client names it in each request. */
interface HttpConnection {
  readonly client: ServedClient;
  handle(request: Request, message: JSONRPCMessage | undefined): Promise<Response>;
}

interface OpenConnection extends HttpConnection {
  readonly asker: Asker;
  readonly end: () => Promise<void>;
  /** ms of the newest request. */
  at: number;
}

/**
 * Connections that may be open at a time. The oldest gives way to a new connection: of the asker itself, or of the asker with
 * the most.
 */
const CONNECTIONS_MAX = 64;

/** The connections of the version that has them, by the id that the server gave. */
class HttpConnections {
  readonly #served: ServedRuntime;
  readonly #open = new Map<string, OpenConnection>();

  constructor(served: ServedRuntime) {
    this.#served = served;
  }

  /** The connection, for its own asker alone. */
  find(id: string, asker: Asker): HttpConnection | undefined {
    const found = this.#open.get(id);
    if (found?.asker !== asker) return undefined;
    found.at = performance.now();
    return found;
  }

  /** Opens a connection for a client that initializes. */
  async open(asker: Asker): Promise<HttpConnection> {
    if (this.#open.size >= CONNECTIONS_MAX) await this.#endOldest(asker);
    const id = crypto.randomUUID();
    const client = this.#served.client(undefined, asker.key === HOLDER ? undefined : asker.holder);
    const server = this.#served.server(client, false);
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const leave = this.#served.onChange(() => void server.sendToolListChanged().catch(() => undefined));
    server.onclose = () => {
      leave();
      this.#open.delete(id);
      void this.#served.leave(client);
    };
    await server.connect(transport);
    const connection: OpenConnection = {
      asker,
      client,
      at: performance.now(),
      handle: (request, message) => transport.handleRequest(request, message && { parsedBody: message }),
      end: () => server.close(),
    };
    this.#open.set(id, connection);
    return connection;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(({ end }) => end()));
  }

  async #endOldest(asker: Asker): Promise<void> {
    const counts = new Map<Asker, number>();
    for (const { asker: of } of this.#open.values()) counts.set(of, (counts.get(of) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const [busiest] = [...counts].find(([, count]) => count === most) ?? [asker];
    const own = counts.has(asker) ? asker : busiest;
    const [oldest] = [...this.#open.values()]
      .filter((each) => each.asker === own)
      .toSorted((one, other) => one.at - other.at);
    await oldest?.end();
  }
}

/** The body of a request, or undefined when it is longer than its bound. */
async function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.byteLength;
    if (length > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A request for the SDK, without its body. The signal aborts when the client goes. */
function webRequest({ headers, method = 'GET', url = '/' }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(new URL(url, 'http://localhost'), { method, headers: given, signal: gone.signal });
}

/** Sends an answer of the SDK, part by part, as fast as the client reads. */
async function sendWeb(
  { status, headers, body }: Response,
  response: ServerResponse,
  further: { readonly [name: string]: string },
): Promise<void> {
  response.writeHead(status, { ...Object.fromEntries(headers), ...further });
  if (body === null) return void response.end();
  response.flushHeaders();
  const reader = body.getReader();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

/** Sends a JSON text. */
function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** Who may ask an HTTP server. */
interface HttpRules {
  readonly token: string | undefined;
  readonly auth: TokenRules | undefined;
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

/** An answer of HTTP that ends a request before the protocol sees it. */
interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: { readonly [name: string]: string };
  /** Class and code of a token that is not accepted. */
  readonly code?: { readonly class: string; readonly code: string };
}

/** The tokens of an issuer, and what RFC 9728 tells of them. */
class TokenRules {
  readonly #checker: TokenChecker;
  readonly #metadata: object;
  readonly #address: string;
  readonly #paths: ReadonlySet<string>;
  readonly terms: Pick<SessionAsker, 'labels'>;

  constructor(auth: TokenAuth) {
    const { origin, pathname } = new URL(auth.audience);
    const path = pathname === '/' ? '' : pathname;
    this.#checker = new TokenChecker(auth);
    this.terms = auth.labels === undefined ? {} : { labels: auth.labels };
    this.#metadata = {
      resource: auth.audience,
      authorization_servers: [auth.issuer],
      bearer_methods_supported: ['header'],
    };
    this.#address = `${origin}${METADATA_PATH}${path}`;
    this.#paths = new Set([METADATA_PATH, `${METADATA_PATH}${path}`, `${METADATA_PATH}${PATH}`]);
  }

  /** RFC 9728 3: what a client has to know to get a token, for a path that has it. */
  metadataAt(url: string): object | undefined {
    return this.#paths.has(pathOf(url)) ? this.#metadata : undefined;
  }

  async principalOf(authorization: string | undefined): Promise<Principal | HttpRefusal> {
    const found = await this.#checker.check(authorization);
    if (!('code' in found)) return found;
    const { class: kind, code, message } = found;
    const refusal = { message, code: { class: kind, code } };
    if (code === 'issuer_unreachable') return { ...refusal, status: 503, headers: { 'retry-after': '60' } };
    // RFC 6750 3.1: a request without a token is told no error
    const error = code === 'token_missing' ? '' : `error="invalid_token", error_description="${code}", `;
    const challenge = `Bearer ${error}resource_metadata="${this.#address}"`;
    return { ...refusal, status: 401, headers: { 'www-authenticate': challenge } };
  }
}

const PATH = '/mcp';

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Names that `Host` may have, without the port. */
function hostsFor(host: string, allowed: readonly string[] | undefined): ReadonlySet<string> {
  if (allowed !== undefined) return new Set(allowed.map((name) => name.toLowerCase()));
  const own = host.includes(':') ? `[${host}]` : host;
  return new Set(isLoopback(host) ? [...LOOPBACK_NAMES, own.toLowerCase()] : [own.toLowerCase()]);
}

/**
 * The reason to refuse a request of any asker, before its body is read. `Host` is compared first: a page that has changed
 * the address of its own name reaches this server with that name in `Host`. Then come `Origin`, path and method.
 */
function refusalOf({ headers, method = '', url = '' }: IncomingMessage, rules: HttpRules): HttpRefusal | undefined {
  const fault = refusedPlace(headers, rules);
  if (fault !== undefined) return fault;
  const isMetadata = rules.auth?.metadataAt(url) !== undefined;
  if (pathOf(url) !== PATH && !isMetadata) return { status: 404, message: `The server is at ${PATH}.` };
  if (method === 'OPTIONS' && headers.origin !== undefined) return undefined;
  const allow = isMetadata ? 'GET' : 'GET, POST, DELETE';
  if (allow.split(', ').includes(method)) return undefined;
  return { status: 405, message: `Use ${allow}.`, headers: { allow } };
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}

function refusedType({ headers, method }: IncomingMessage): HttpRefusal | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return method === 'POST' && type !== 'application/json'
    ? { status: 415, message: 'Send application/json.' }
    : undefined;
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
function pageHeaders(origin: string | undefined): { readonly [name: string]: string } {
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version, www-authenticate',
    vary: 'origin',
  };
}

/** Headers of the answer to a page that asks in advance. */
const PREFLIGHT: { readonly [name: string]: string } = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};
