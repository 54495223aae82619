import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type McpSubscription,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { demand, type OptionType } from '../../../../core/option.ts';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { ToolError } from '../../../../core/tool-error.ts';
import { type Delay, makeDelay, TIMER_MAX_MS } from '../../../async.ts';
import { PACKAGE_VERSION } from '../../../package-version.ts';
import type { Secrets } from '../../models/secrets.ts';
import { DefaultJsonSchemaValidator } from '../sdk-shims.ts';
import { type NumbersAs, SESSION_FORGOTTEN } from '../wire/message.ts';
import type { McpServerInfo, McpStatus, McpTool, McpTransport } from './api.ts';
import { type Notify, shownText } from './notices.ts';

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

/** Options of a request for a call of a tool. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /** Told of a second request, with the code of its reason. */
  readonly repeated: (why: string) => void;
  /** Told of each answer. */
  readonly answered?: (answer: JsonObject) => void;
}

interface CallOptionsOfServer extends AskOptions {
  readonly timeoutMs: number;
  /** True for a call that changes nothing, and may be sent twice. */
  readonly isHarmless: boolean;
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
  async ask(method: string, params: JsonObject, how: Partial<AskOptions> = {}): Promise<JsonObject> {
    const { signal, answered } = how;
    const request = { method, params } as never;
    const answer = await this.#asking(
      (client) => client.request(request, ANY_RESULT, { ...(signal && { signal }), timeout: CONNECT_MS }),
      { ...how, isHarmless: true },
    );
    answered?.(answer);
    return answer;
  }

  /** The items of the pages of a list. A list that goes on beyond the bounds is `cut` there, with the reason. */
  async list(method: string, items: string, itemsMax: number, how?: AskOptions): Promise<ListRead> {
    const found: JsonValue[] = [];
    const cursors = new Set<JsonValue>(['']);
    let cursor: JsonValue | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const result = await this.ask(method, cursor === undefined ? {} : { cursor }, how);
      const listed = member(result, items);
      if (!Array.isArray(listed)) throw new Error(`${method} has answered without a list of ${items}`);
      for (const each of listed) found.push(each as JsonValue);
      if (found.length > itemsMax)
        return { found: found.slice(0, itemsMax), cut: `${method} lists more than ${itemsMax} ${items}` };
      cursor = member(result, 'nextCursor');
      // a cursor that came before leads to the same page again
      if (typeof cursor !== 'string' || cursors.has(cursor)) return { found };
      cursors.add(cursor);
    }
    return { found, cut: `${method} has more than ${PAGES_MAX} pages` };
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
    }, options);
  }

  /**
   * A request that needed a new sign-in has failed; the request after it is sent with the new key. A request whose
   * session the server has forgotten is sent once more in a new session. One that the server may have carried out is
   * sent again only where it changes nothing.
   */
  async #asking<T>(
    act: (client: Client) => Promise<T>,
    { isHarmless, repeated }: Pick<CallOptionsOfServer, 'isHarmless'> & Partial<AskOptions>,
  ): Promise<T> {
    const client = await this.#current();
    try {
      return await act(client);
    } catch (error) {
      await this.#way.signIn?.(error).catch(() => undefined);
      const isForgotten = error instanceof ProtocolError && wireCode(error) === SESSION_FORGOTTEN;
      if (!isForgotten && !isOfSession(client, error)) throw error;
      this.#lose(client);
      if (!isForgotten && !isHarmless) throw error;
    }
    const again = await this.#current();
    repeated?.(SESSION_FORGOTTEN);
    return act(again);
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

  /** A child that ended at the question for its version, or a server that fails at it, is asked in the older way. */
  #fallsBack(error: unknown): boolean {
    const ended = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    const isFailing = ended && Number((Object(error.data) as { readonly status?: unknown }).status) >= 500;
    if (this.#mode === 'legacy' || !ended || !(this.#way.isChild || isFailing)) return false;
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

/** A list of a server, as far as it was read. */
export interface ListRead {
  readonly found: readonly JsonValue[];
  readonly cut?: string;
}

interface ConnectionEvents {
  readonly notify: Notify;
  /** The server's list of tools has changed, or may have. */
  readonly changed: () => void;
}

/** What a server reads about its client. */
const CLIENT_INFO = { name: 'sallyport', version: PACKAGE_VERSION } as const;

const METHOD_NOT_FOUND = -32601;

/** Characters of a server's instructions that are kept. */
const INSTRUCTIONS_MAX = 16_384;

/** Time for a server to take the end of its session. */
const END_MS = 1000;

/** A client of the SDK that has no part of its own to offer: each request of the server is refused, and told. */
function makeClient(versionNegotiation: VersionNegotiationOptions, { notify, changed }: ConnectionEvents): Client {
  const client = new Client(CLIENT_INFO, {
    capabilities: {},
    jsonSchemaValidator: new DefaultJsonSchemaValidator() as never,
    versionNegotiation,
    inputRequired: { autoFulfill: false },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
  } satisfies ClientOptions);
  client.fallbackRequestHandler = (request) => {
    notify({ kind: 'request_refused', method: shownText(request.method) });
    return Promise.reject(Object.assign(new Error('Method not found'), { code: METHOD_NOT_FOUND }));
  };
  client.fallbackNotificationHandler = async ({ method, params }) => notifyOf(method, params, notify);
  return client;
}

/** Results are read by us: one malformed entry of a list does not refuse the list. */
const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'sallyport',
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: 'The result is no object' }] }),
  },
};

/** Tells a server behind HTTP that its session has ended; a server that does not answer is left. */
async function endSession(transport: Transport | undefined): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const delay = makeDelay();
  await Promise.race([transport.terminateSession().catch(() => undefined), delay.wait(END_MS)]);
  delay.giveUp();
}

/** True for an error by which servers refuse a session that they do not know: 400, or a text that names the session. */
function isOfSession({ transport }: Client, error: unknown): boolean {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return false;
  if (error instanceof ProtocolError) return /\bsession\b/i.test(error.message);
  if (!(error instanceof SdkError)) return false;
  return (Object(error.data) as { readonly status?: unknown }).status === 400;
}

/** Texts of a server about itself, made visible. */
function serverInfoOf(client: Client): McpServerInfo {
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    name: shownText(name),
    version: shownText(version),
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    ...(instructions !== undefined && { instructions: shownText(instructions, INSTRUCTIONS_MAX) }),
  };
}

function notifyOf(method: string, params: unknown, notify: Notify): void {
  if (method !== 'notifications/message') return notify({ kind: 'notification', method: shownText(method) });
  const { level, data } = Object(params) as { readonly level?: unknown; readonly data?: unknown };
  notify({ kind: 'log', level: shownText(level), text: shownText(data) });
}

/** A transport of the program has parsed the numbers of its server before, and rounded them. */
const NO_NUMBERS: OptionType = [
  'left out for a transport, which parses numbers by itself',
  (value) => value === undefined,
];

/** The way through a transport of the program, which parses the server's bytes by itself. Throws `option_invalid`. */
export function transportWay(transport: McpTransport, { numbers }: { readonly numbers: NumbersAs }): McpWay {
  demand('numbers', numbers, NO_NUMBERS);
  return {
    origin: 'mcp:transport',
    isChild: false,
    isRepeatable: false,
    open: () => transport as unknown as Transport,
  };
}

/** The end of a call without a result. The run records its name and its message. */
export class McpFailure extends ToolError {}

/** The error of a server that cannot be used, for the program that opens it. */
export function unavailable(origin: string, error: unknown, secrets: Secrets): SallyportError {
  const reason = shownText(secrets.hide(reasonOf(error)));
  return new SallyportError('mcp_unavailable', `The server ${origin} cannot be used: ${reason}`, { origin, reason });
}

/** The failure of a request, in words that hold no key and no words of the program. */
export function failureOf(error: unknown, secrets: Secrets): McpFailure {
  const reason = error instanceof McpFailure ? error.message : reasonOf(error);
  return new McpFailure(nameOf(error), shownText(secrets.hide(reason)));
}

function nameOf(error: unknown): string {
  if (error instanceof McpFailure) return error.name;
  if (error instanceof ProtocolError) return wireCode(error) ?? 'mcp_error';
  if (!(error instanceof SdkError)) return 'mcp_connection';
  if (error.code === SdkErrorCode.RequestTimeout) return 'mcp_timeout';
  return INVALID.has(error.code) ? 'mcp_invalid' : 'mcp_connection';
}

const INVALID: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

/** Code of a message that the wire refused or lost, see `errorResponse`. */
function wireCode({ data }: ProtocolError): string | undefined {
  const { code, by } = Object(data) as { readonly code?: unknown; readonly by?: unknown };
  return by === 'sallyport' && typeof code === 'string' && /^[a-z0-9_]{1,40}$/.test(code) ? code : undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return 'The server asks for input in the middle of the call, which Sallyport does not give.';
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`;
}
