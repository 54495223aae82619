import { LIST, OBJECT, type OptionTypes, oneOf, optionsOf, TEXT } from '../../../core/option.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { ALONE, assertHeader, assertPrivate, serverUrl } from '../models/endpoint.ts';
import { endpointInvalid } from '../models/failure.ts';
import { Secrets } from '../models/secrets.ts';
import type { DoorKind, DoorMessage, DoorRequest, DoorSettings } from './host.ts';
import { errorOf } from './reply.ts';

/** Requests of one door that are open at once. A request is open until its answer is read or given up. */
export const OPEN_MAX = 32;

/** The worker's side of a door. */
export interface WorkerDoor {
  readonly origin: string;
  /** Sends a request and answers at its port. A failure becomes a message: the promise does not reject. */
  ask(request: DoorRequest, port: MessagePort): Promise<void>;
}

/** Throws `option_invalid` and `endpoint_invalid` for settings that could never work. */
export function makeDoor(settings: DoorSettings, send: typeof fetch): WorkerDoor {
  const rules = doorRules(settings);
  let open = 0;
  return {
    origin: rules.origin,
    async ask(request, port) {
      open++;
      try {
        if (open > OPEN_MAX) throw doorRefused('requests', `at most ${OPEN_MAX} requests are open at once`);
        for await (const message of answerTo(request, rules, send, readerOf(port)))
          port.postMessage(message, message.kind === 'bytes' ? [message.bytes.buffer] : []);
        port.postMessage({ kind: 'end' } satisfies DoorMessage);
      } catch (error) {
        port.postMessage({ kind: 'failed', error: errorOf(error) } satisfies DoorMessage);
      } finally {
        open--;
      }
    },
  };
}

async function* answerTo(
  request: DoorRequest,
  rules: DoorRules,
  send: typeof fetch,
  page: PageReader,
): AsyncGenerator<DoorMessage> {
  const [url, init] = rules.permit(request);
  // The platform's error may quote the request.
  const response = await send(url, { ...init, signal: page.signal }).catch(() => {
    throw unreachable('The server cannot be reached, does not let this page ask it, or sends on to another address.');
  });
  const { status } = response;
  const { secrets, responseBytesMax } = rules;
  const statusText = secrets.hide(response.statusText);
  const headers = [...response.headers].flatMap(([name, value]): [string, string][] =>
    secrets.hide(name) === name ? [[name, secrets.hide(value)]] : [],
  );
  const body = BODILESS.includes(status) ? null : response.body;
  yield { kind: 'head', status, statusText, headers, hasBody: body !== null };
  if (body === null) return;
  const { push, rest: restOf } = secrets.bytePieces();
  for await (const piece of piecesOf(body, responseBytesMax, page)) yield pieceMessage(push(piece));
  const rest = restOf();
  if (rest.length > 0) yield pieceMessage(rest);
}

/** Statuses whose responses have no body (Fetch, 2.2.3 "null body status"). */
const BODILESS = [204, 205, 304];

/** Reads a piece when the page wants it: the rest waits with the server. */
async function* piecesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
  page: PageReader,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  try {
    for (let left = bytesMax; ; ) {
      await page.wants();
      const { done, value } = await reader.read().catch(() => {
        throw unreachable('The connection ended before the answer did.');
      });
      if (done) return;
      left -= value.byteLength;
      if (left < 0) throw doorRefused('response_bytes', `an answer has at most ${bytesMax} bytes`);
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** A view into a larger buffer would take the whole buffer along. */
function pieceMessage(bytes: Uint8Array<ArrayBuffer>): DoorMessage {
  return { kind: 'bytes', bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice() };
}

interface PageReader {
  readonly signal: AbortSignal;
  /** Resolves when the page wants a piece. Rejects after its abort. */
  wants(): Promise<void>;
}

/** The page sends `pull` for a piece that it wants, a piece at a time, and `abort` for the end of its interest. */
function readerOf(port: MessagePort): PageReader {
  const stop = new AbortController();
  let told = (): void => undefined;
  port.onmessage = ({ data }: MessageEvent<'pull' | 'abort'>) => {
    if (data === 'abort') stop.abort();
    told();
  };
  return {
    signal: stop.signal,
    async wants() {
      if (!stop.signal.aborted) await new Promise<void>((resolve) => (told = resolve));
      stop.signal.throwIfAborted();
    },
  };
}

function unreachable(message: string): SallyportError {
  return new SallyportError('door_unreachable', message, {});
}

/** The requests that doors of a kind take. Sizes are in bytes of one body. */
interface KindRules {
  readonly methods: readonly string[];
  /** Headers that the page may set, in lower case. */
  readonly headers: RegExp;
  readonly requestBytesMax: number;
  readonly responseBytesMax: number;
  /** True: the path of a request lies under the path of the door's URL. */
  readonly isUnderPath?: true;
}

const MIB = 1024 * 1024;

/** The sizes keep a hostile server from filling the page's memory; answers of models and tools are far smaller. */
const RULES: { readonly [K in DoorKind]: KindRules } = {
  openai: {
    methods: ['GET', 'POST'],
    headers: /^(?:accept|content-type)$/,
    requestBytesMax: 16 * MIB,
    responseBytesMax: 16 * MIB,
    isUnderPath: true,
  },
  mcp: {
    methods: ['GET', 'POST', 'DELETE'],
    // `authorization` and `dpop` carry the tokens of a sign-in that the program itself has made.
    headers:
      /^(?:accept|authorization|content-type|dpop|last-event-id|mcp-(?:method|name|protocol-version|session-id|param-.+))$/,
    requestBytesMax: 16 * MIB,
    responseBytesMax: 64 * MIB,
  },
  otlp: {
    methods: ['POST'],
    headers: /^(?:accept|content-encoding|content-type)$/,
    requestBytesMax: 16 * MIB,
    responseBytesMax: MIB,
  },
  file: { methods: ['GET'], headers: /^accept$/, requestBytesMax: 0, responseBytesMax: 64 * MIB },
};

/** Name of the broken rule, in `details.rule` of `door_refused`. */
type DoorRule = 'header' | 'method' | 'request_bytes' | 'requests' | 'response_bytes' | 'url';

/** The rules of one door. Its headers are in a closure and cannot be listed. */
interface DoorRules {
  readonly origin: string;
  readonly responseBytesMax: number;
  /** The keys in the headers of the opening. */
  readonly secrets: Secrets;
  /** The request as it is sent, with the headers of the opening. Throws `door_refused`. */
  permit(request: DoorRequest): readonly [url: string, init: RequestInit];
}

const SETTINGS: OptionTypes = { kind: oneOf(...Object.keys(RULES)), url: TEXT, headers: OBJECT, alsoAsk: LIST };

/**
 * Throws `option_invalid`, `endpoint_invalid` for a URL, an origin or a header that could never work, and `key_short`.
 */
export function doorRules(settings: DoorSettings): DoorRules {
  const { kind, url, headers = {}, alsoAsk = [] } = optionsOf(settings, SETTINGS, ['kind', 'url']);
  const rules = RULES[kind];
  const server = serverUrl(url, 'URL');
  const own = Object.entries(headers);
  if (own.length > 0) assertPrivate(server);
  for (const [name, value] of own) assertHeader(name, value);
  const secrets = new Secrets();
  secrets.addHeaders(own);
  const others = alsoAsk.map(originOf);
  return {
    origin: server.origin,
    responseBytesMax: rules.responseBytesMax,
    secrets,
    permit(request) {
      const target = new URL(request.url);
      const isServer = isAt(target, server) && (rules.isUnderPath !== true || isUnder(target, server));
      if (!isServer && !others.some((other) => isAt(target, other)))
        throw doorRefused('url', 'the door asks another server or path');
      assertForm(request, rules);
      const sent = new Headers(request.headers.map(([name, value]) => [name, value]));
      // The keys belong to the server alone: no origin of `alsoAsk` gets them.
      if (isServer) for (const [name, value] of own) sent.set(name, value);
      const { method, body } = request;
      return [target.href, { ...ALONE, method, headers: sent, ...(body !== undefined && { body }) }];
    },
  };
}

function assertForm({ method, headers, body }: DoorRequest, rules: KindRules): void {
  if (!rules.methods.includes(method)) throw doorRefused('method', `the door sends ${rules.methods.join(', ')}`);
  const other = headers.find(([name]) => !rules.headers.test(name.toLowerCase()));
  if (other !== undefined) throw doorRefused('header', `the door sends no header ${other[0]}`);
  const most = rules.requestBytesMax;
  if ((body?.byteLength ?? 0) > most) throw doorRefused('request_bytes', `a body has at most ${most} bytes`);
}

function isUnder({ pathname }: URL, base: URL): boolean {
  return pathname.startsWith(`${base.pathname.replace(/\/+$/, '')}/`);
}

/** Not a comparison of origins: `blob:https://api.example/1` has the origin of its server. */
function isAt({ protocol, host, username, password }: URL, server: URL): boolean {
  return protocol === server.protocol && host === server.host && username === '' && password === '';
}

function originOf(text: string): URL {
  const url = serverUrl(text, 'origin in alsoAsk');
  if (url.href !== `${url.origin}/`) throw endpointInvalid('the origin in alsoAsk has a path or a query');
  return url;
}

/** The error for a request that a door does not send, or for an answer that it cuts. */
function doorRefused(rule: DoorRule, what: string): SallyportError {
  return new SallyportError('door_refused', `The door refuses the request: ${what}.`, { rule });
}
