import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { ServedClient, ServedRuntime } from './host.ts';

/** A connection of the version 2025-11-25: the client names it in each request. */
export interface HttpConnection {
  readonly client: ServedClient;
  handle(request: Request, message: JSONRPCMessage | undefined): Promise<Response>;
}

interface OpenConnection extends HttpConnection {
  readonly end: () => Promise<void>;
  /** ms of the newest request. */
  at: number;
}

/** Connections that may be open at a time. The oldest gives way to a new connection. */
const CONNECTIONS_MAX = 64;

/** The connections of the version that has them, by the id that the server gave. */
export class HttpConnections {
  readonly #served: ServedRuntime;
  readonly #open = new Map<string, OpenConnection>();

  constructor(served: ServedRuntime) {
    this.#served = served;
  }

  find(id: string): HttpConnection | undefined {
    const found = this.#open.get(id);
    if (found !== undefined) found.at = performance.now();
    return found;
  }

  /** Opens a connection for a client that initializes. */
  async open(): Promise<HttpConnection> {
    if (this.#open.size >= CONNECTIONS_MAX) await this.#endOldest();
    const id = crypto.randomUUID();
    const client = this.#served.client();
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

  async #endOldest(): Promise<void> {
    const [oldest] = [...this.#open.values()].toSorted((one, other) => one.at - other.at);
    await oldest?.end();
  }
}
