import {
  type CallToolResult,
  type Client,
  type McpSubscription,
  type Progress,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { type Delay, makeDelay } from '../../../async.ts';
import type { McpServerInfo, McpStatus, McpTool } from './api.ts';
import { ANY_RESULT, type ConnectionEvents, endSession, makeClient, serverInfoOf } from './sdk-client.ts';

/** The way to a server: a child process, an address, or a transport of the program. */
export interface McpWay {
  /** Place that arguments go to, without keys. */
  readonly origin: string;
  /** A transport that is not started yet. `lost` is called when the server has forgotten the connection. */
  readonly open: (lost: () => void) => Transport;
  /** True for a child, which may end at a message that it does not know. */
  readonly isChild: boolean;
  /** False for a transport that the program gave: it cannot be opened again. */
  readonly isRepeatable: boolean;
  /** Takes part in a sign-in after a failed attempt. True: the attempt is worth repeating. */
  readonly signIn?: (error: unknown) => Promise<boolean>;
}

export interface CallOptionsOfServer {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Absent: the server is not asked to tell its progress. */
  readonly progress?: (progress: Progress) => void;
}

/** A silent child is a server of the older version, which waits for `initialize`. */
const PROBE_MS = 10_000;
const CONNECT_MS = 60_000;

/** Attempts to open a lost connection again, with a pause before each that doubles. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 250;

const PAGES_MAX = 100;

/** A stream of changes that was open for longer was no failure. */
const LASTING_MS = 10_000;

/** The longest time of a platform's timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * The connection to a server, opened again when it is lost. A request is sent once: requests under way when the
 * connection is lost fail, and the next request waits for the new connection.
 */
export class ServerConnection {
  readonly #way: McpWay;
  readonly #events: ConnectionEvents;
  readonly #pauses = new Set<Delay>();
  #status: McpStatus = 'connecting';
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  /** The transport of an attempt to connect, which may last long. */
  #dialled: Transport | undefined;
  #mode: 'auto' | 'legacy' = 'auto';
  #attempts = 0;
  #offered: ReadonlySet<string> = new Set();

  constructor(way: McpWay, events: ConnectionEvents) {
    this.#way = way;
    this.#events = events;
  }

  get status(): McpStatus {
    return this.#status;
  }

  /** Connects for the first time, and rejects where that fails. */
  async open(signal: AbortSignal | undefined): Promise<McpServerInfo> {
    return serverInfoOf(await this.#connect(signal));
  }

  /** The value of a request that has no effect, such as a list. */
  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const request = { method, params } as never;
    return this.#asking((client) =>
      client.request(request, ANY_RESULT, { ...(signal && { signal }), timeout: CONNECT_MS }),
    );
  }

  /** The items of all pages of a list. Throws where the pages do not end. */
  async list(method: string, items: string, itemsMax: number, signal?: AbortSignal): Promise<readonly JsonValue[]> {
    const found: JsonValue[] = [];
    let cursor: JsonValue | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const result = await this.ask(method, cursor === undefined ? {} : { cursor }, signal);
      const listed = member(result, items);
      if (!Array.isArray(listed)) throw new Error(`${method} has answered without a list of ${items}`);
      for (const each of listed) found.push(each as JsonValue);
      if (found.length > itemsMax) throw new Error(`${method} lists more than ${itemsMax} ${items}`);
      cursor = member(result, 'nextCursor');
      if (typeof cursor !== 'string') return found;
    }
    throw new Error(`${method} has more than ${PAGES_MAX} pages`);
  }

  async call(tool: McpTool, args: JsonObject, options: CallOptionsOfServer): Promise<CallToolResult> {
    const params = { name: tool.name, arguments: args as Record<string, unknown> };
    return this.#asking((client) => {
      options.signal.throwIfAborted();
      return client.callTool(params, {
        signal: options.signal,
        timeout: Math.min(options.timeoutMs, TIMER_MAX_MS),
        ...(options.progress && { onprogress: options.progress }),
        toolDefinition: tool as never,
      });
    });
  }

  /** A request that needed a new sign-in has failed; the request after it is sent with the new key. */
  async #asking<T>(act: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#current();
    try {
      return await act(client);
    } catch (error) {
      await this.#way.signIn?.(error).catch(() => undefined);
      throw error;
    }
  }

  /** True where the server says that it has this part of the protocol. */
  offers(part: 'tools' | 'resources' | 'prompts'): boolean {
    return this.#offered.has(part);
  }

  async close(): Promise<void> {
    if (this.#status === 'closed') return;
    this.#tell('closed', 'The source was closed.');
    for (const pause of this.#pauses) pause.giveUp();
    await this.#dialled?.close().catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    await endSession(client?.transport);
    await client?.close();
  }

  /** The client, once a connection is there. After all attempts of the background have failed, each request tries again. */
  async #current(): Promise<Client> {
    this.#assertOpen();
    return this.#client ?? this.#opening ?? this.#connect(undefined);
  }

  #assertOpen(): void {
    if (this.#status === 'closed') throw new Error('The source is closed.');
  }

  #connect(signal: AbortSignal | undefined): Promise<Client> {
    this.#opening ??= this.#attempt(signal).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #attempt(signal: AbortSignal | undefined): Promise<Client> {
    for (let isRepeated = false; ; isRepeated = true) {
      this.#assertOpen();
      try {
        return await this.#dial(signal);
      } catch (error) {
        const isWorthIt = !isRepeated && (this.#fallsBack(error) || ((await this.#way.signIn?.(error)) ?? false));
        if (!isWorthIt || signal?.aborted === true) throw signal?.aborted === true ? signal.reason : error;
      }
    }
  }

  /** A child that ended at the question for its version is asked in the older way. */
  #fallsBack(error: unknown): boolean {
    const ended = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    if (!this.#way.isChild || this.#mode === 'legacy' || !ended) return false;
    this.#mode = 'legacy';
    return true;
  }

  async #dial(signal: AbortSignal | undefined): Promise<Client> {
    const timeoutMs = this.#way.isChild ? PROBE_MS : CONNECT_MS;
    const client = makeClient({ mode: this.#mode, probe: { timeoutMs } }, this.#events);
    client.onclose = () => this.#lose(client);
    const transport = this.#way.open(() => this.#lose(client));
    const abort = (): void => void transport.close().catch(() => undefined);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort);
    this.#dialled = transport;
    try {
      await client.connect(transport, { timeout: CONNECT_MS, ...(signal && { signal }) });
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#dialled = undefined;
    }
    if (this.#status === 'closed') {
      await client.close();
      throw new Error('The source is closed.');
    }
    if (client.transport === undefined) throw new Error('The connection was lost.');
    this.#client = client;
    this.#offered = new Set(Object.keys(client.getServerCapabilities() ?? {}));
    void this.#keepListening(client, client.autoOpenedSubscription);
    if (this.#attempts > 0) this.#events.changed();
    this.#tell('connected', 'The server is connected.');
    return client;
  }

  /** A server of the newer version ends its stream of changes now and then, for example at a proxy's limit of time. */
  async #keepListening(client: Client, first: McpSubscription | undefined): Promise<void> {
    let subscription = first;
    let nth = 0;
    while (subscription !== undefined && nth < ATTEMPTS) {
      const since = performance.now();
      if ((await subscription.closed) === 'local') return;
      if (performance.now() - since > LASTING_MS) nth = 0;
      subscription = undefined;
      while (subscription === undefined && nth < ATTEMPTS) {
        await this.#pause(nth++);
        if (this.#client !== client) return;
        subscription = await client.listen({ toolsListChanged: true }).catch(() => undefined);
      }
      this.#events.changed();
    }
  }

  /** Called for a child that has ended, and for a server that does not know its session any more. */
  #lose(client: Client): void {
    if (this.#client !== client || this.#status === 'closed') return;
    this.#client = undefined;
    client.close().catch(() => undefined);
    if (!this.#way.isRepeatable) return this.#tell('failed', 'The transport was closed.');
    this.#tell('connecting', 'The connection was lost.');
    this.#opening = this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    this.#opening.catch(() => undefined);
  }

  async #reopen(): Promise<Client> {
    for (;;) {
      this.#assertOpen();
      this.#attempts++;
      if (this.#attempts > ATTEMPTS) {
        this.#tell('failed', `The connection was lost, and ${ATTEMPTS} attempts to open it again have failed.`);
        throw new Error(`The server was lost, and ${ATTEMPTS} attempts to reach it again have failed.`);
      }
      await this.#pause(this.#attempts - 1);
      try {
        return await this.#attempt(undefined);
      } catch {
        // the next attempt follows after a longer pause
      }
    }
  }

  async #pause(nth: number): Promise<void> {
    const delay = makeDelay();
    this.#pauses.add(delay);
    await delay.wait(FIRST_PAUSE_MS * 2 ** nth);
    this.#pauses.delete(delay);
  }

  /** An answer shows that the connection works: the attempts count from the beginning again. */
  answered(): void {
    this.#attempts = 0;
  }

  #tell(status: McpStatus, text: string): void {
    this.#status = status;
    this.#events.notify({ kind: 'connection', status, text });
  }
}
