import { randomBytes } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { deferred } from '../../../async.ts';
import { WIRE_LIMITS } from '../wire/message.ts';
import { tooLarge } from '../wire/refusals.ts';
import type { CallerSession } from './caller-session.ts';
import type { ServedClient, ServedRuntime } from './host.ts';
import { HttpConnections } from './http-connections.ts';
import { readBody, sendJson, sendWeb, webRequest } from './http-exchange.ts';
import { type HttpRules, hostsFor, PATH, PREFLIGHT, pageHeaders, refusalOf } from './http-guard.ts';
import { type Incoming, readIncoming, refusalResponse } from './incoming.ts';
import { type HttpPlace, LOOPBACK } from './options.ts';
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
  const {
    host = LOOPBACK,
    port,
    token = randomBytes(32).toString('base64url'),
    allowedHosts,
    allowedOrigins = [],
  } = place;
  const rules: HttpRules = {
    token: token === false ? undefined : token,
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

export interface HttpServing {
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

/** Takes requests: checks them, reads them within bounds, and hands their messages to the SDK. */
class HttpExchange {
  readonly #rules: HttpRules;
  readonly #connections: HttpConnections;
  /** The client of all requests without a connection: the holder of the token. */
  readonly #holder: ServedClient;
  /** Requests that were turned away without a record, by their status. */
  readonly strangers = new Map<number, number>();
  readonly #stateless: McpHttpHandler;
  readonly #leave: () => void;

  constructor(served: ServedRuntime, rules: HttpRules) {
    this.#rules = rules;
    this.#connections = new HttpConnections(served);
    this.#holder = served.client();
    this.#stateless = createMcpHandler(() => served.server(this.#holder, true), { legacy: 'reject' });
    this.#leave = served.onChange(() => this.#stateless.notify.toolsChanged());
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response).catch(() => {
      if (!response.headersSent) sendJson(response, 500, failure('The server failed.'));
      response.destroy();
    });
  }

  async close(): Promise<void> {
    this.#leave();
    await this.#stateless.close();
    await this.#connections.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, this.#rules);
    const further = pageHeaders(refusal === undefined ? request.headers.origin : undefined);
    if (refusal !== undefined) {
      const { status, message, headers, isKnown = false } = refusal;
      if (isKnown) this.#sessionOf(request).reject(refusalOfError({ code: status, message }));
      else this.strangers.set(status, (this.strangers.get(status) ?? 0) + 1);
      return sendJson(response, status, failure(message), { ...headers, connection: 'close' });
    }
    if (request.method === 'OPTIONS') return void response.writeHead(204, { ...further, ...PREFLIGHT }).end();
    const body = request.method === 'POST' ? await readBody(request, WIRE_LIMITS.bytes) : undefined;
    if (request.method === 'POST' && body === undefined) return this.#refuseLong(request, response);
    const incoming = body && readIncoming(body);
    if (incoming !== undefined && 'refusal' in incoming)
      return this.#refuse(request, response, body as Uint8Array, incoming);
    const answer = await this.#route(webRequest(request, response), incoming);
    await sendWeb(body === undefined ? answer : await this.#recorded(request, answer, body), response, further);
  }

  /** Records a message that an error of HTTP answers, and tells the client the class and the code of the record. */
  async #recorded(request: IncomingMessage, answer: Response, body: Uint8Array): Promise<Response> {
    if (answer.status < 400) return answer;
    const told = (await answer.json().catch(() => ({}))) as { readonly error?: ToldError };
    const { status, headers } = answer;
    const error = told.error ?? { code: status, message: 'the request was refused' };
    if (isRecorded(error)) return Response.json(told, { status, headers });
    const refusal = refusalOfError(error);
    this.#sessionOf(request).reject(refusal, body);
    return Response.json({ ...NO_ID, ...told, error: withCode(error, refusal) }, { status, headers });
  }

  /** The session of the connection that a request names; without one, that of all requests without a connection. */
  #sessionOf({ headers }: IncomingMessage): CallerSession {
    const id = headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#connections.find(id) : undefined;
    return (known?.client ?? this.#holder).session;
  }

  /** A request with an id of a connection, or that initializes, is of the version with connections. */
  async #route(request: Request, incoming: { readonly message: unknown } | undefined): Promise<Response> {
    const message = incoming?.message as never;
    if (message !== undefined && !(await isLegacyRequest(request, message)))
      return this.#stateless.fetch(request, { parsedBody: message });
    const id = request.headers.get('mcp-session-id');
    if (id === null && isInitializeRequest(message)) return (await this.#connections.open()).handle(request, message);
    if (id === null) return Response.json(failure('Initialize first.'), { status: 400 });
    const connection = this.#connections.find(id);
    return connection === undefined ? Response.json(NOT_FOUND, { status: 404 }) : connection.handle(request, message);
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array,
    { refusal, reply, failure: failed }: Exclude<Incoming, { readonly message: unknown }>,
  ): void {
    this.#sessionOf(request).reject(refusal, body);
    sendJson(response, 400, reply ?? { ...(failed ?? refusalResponse(null, INVALID_REQUEST, refusal)), id: null });
  }

  /** A body over its bound is not read to its end. */
  #refuseLong(request: IncomingMessage, response: ServerResponse): void {
    const refusal = tooLarge(Number(request.headers['content-length'] ?? WIRE_LIMITS.bytes + 1));
    this.#sessionOf(request).reject(refusal);
    sendJson(response, 413, refusalResponse(null, INVALID_REQUEST, refusal), { connection: 'close' });
  }
}

function failure(message: string): object {
  return { ...NO_ID, error: { code: SERVER_ERROR, message } };
}
