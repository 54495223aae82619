import { randomBytes } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { deferred } from '../../async/deferred.ts';
import { errorResponse, WIRE_LIMITS } from '../wire/message.ts';
import { tooLarge } from '../wire/refusals.ts';
import type { ServedClient, ServedRuntime } from './host.ts';
import { HttpConnections } from './http-connections.ts';
import { readBody, sendJson, sendWeb, webRequest } from './http-exchange.ts';
import { type HttpRules, hostsFor, PATH, PREFLIGHT, pageHeaders, refusalOf } from './http-guard.ts';
import { type Incoming, readIncoming } from './incoming.ts';
import { type HttpPlace, LOOPBACK } from './options.ts';
import { RefusedMessages } from './refused-messages.ts';

/** ms in which a request has to arrive. */
const REQUEST_MS = 30_000;

/** Sockets that may be open at a time. */
const SOCKETS_MAX = 512;

/** JSON-RPC's first code for errors of a server's own. */
const SERVER_ERROR = -32_000;

const NOT_FOUND = {
  jsonrpc: '2.0',
  id: null,
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
  readonly #refused: RefusedMessages;
  readonly #stateless: McpHttpHandler;
  readonly #leave: () => void;

  constructor(served: ServedRuntime, rules: HttpRules) {
    this.#rules = rules;
    this.#connections = new HttpConnections(served);
    this.#holder = served.client();
    this.#refused = new RefusedMessages(this.#holder.session);
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
      const { status, message, headers } = refusal;
      return sendJson(response, status, failure(message), { ...headers, connection: 'close' });
    }
    if (request.method === 'OPTIONS') return void response.writeHead(204, { ...further, ...PREFLIGHT }).end();
    const body = request.method === 'POST' ? await readBody(request, WIRE_LIMITS.bytes) : undefined;
    if (request.method === 'POST' && body === undefined) return sendLong(request, response);
    const incoming = body && readIncoming(body);
    if (incoming !== undefined && 'why' in incoming)
      return this.#refuse(request, response, body as Uint8Array, incoming);
    const answer = await this.#route(webRequest(request, response), incoming);
    await sendWeb(answer, response, further);
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
    { why, reply, failure: failed }: Exclude<Incoming, { readonly message: unknown }>,
  ): void {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#connections.find(id) : undefined;
    if (!(known?.refused ?? this.#refused).record(body, why))
      return sendJson(response, 429, failure('Too many refused messages wait for their record.'));
    sendJson(response, 400, reply ?? { ...failed, id: null });
  }
}

function failure(message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } };
}

/** A body over its bound is not read to its end. */
function sendLong(request: IncomingMessage, response: ServerResponse): void {
  const used = Number(request.headers['content-length'] ?? WIRE_LIMITS.bytes + 1);
  sendJson(response, 413, errorResponse(null, tooLarge(used)), { connection: 'close' });
}
