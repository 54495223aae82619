import { concatBytes } from '../../../../core/hash.ts';
import { isObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { makeLineSplitter } from './lines.ts';
import {
  answerFault,
  cutOffResponse,
  type ErrorResponse,
  errorResponse,
  type RequestId,
  readMessage,
  refusedShape,
  tooLarge,
  WIRE_LIMITS,
} from './message.ts';

/** The part of `fetch` that a client of MCP uses. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Bytes of an error's body that are read. */
const ERROR_BYTES: number = 64 << 10;

/**
 * A `fetch` whose JSON bodies and events have passed `readMessage` before the caller parses them. A refused body becomes
 * a JSON-RPC error for the request that was sent, so that its call fails with the reason. Bodies are read within
 * `WIRE_LIMITS`. Cookies and referrers are not sent.
 */
export function strictFetch(fetch: Fetch, refused: RefusedListener = () => undefined): Fetch {
  return async (url, init = {}) => {
    const response = await fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' });
    const { status, statusText, headers, body } = response;
    if (body === null || status < 200 || (status >= 300 && status < 400)) return response;
    const shown = { status, statusText, headers };
    const type = (headers.get('content-type') ?? '').toLowerCase();
    const request = requestIn(init.body);
    if (response.ok && type.startsWith('text/event-stream'))
      return new Response(strictEvents(body, request.id, refused), shown);
    const read = await readBody(body, response.ok ? WIRE_LIMITS.bytes : ERROR_BYTES);
    if (!type.includes('json')) return new Response(read.isWhole ? read.bytes : null, shown);
    const message = read.isWhole
      ? readMessage(read.bytes)
      : { ok: false as const, refusal: tooLarge(WIRE_LIMITS.bytes) };
    const answered = message.ok && response.ok && request.id !== undefined;
    const fault = answered ? answerFault(message.value, request.id) : undefined;
    if (message.ok && fault === undefined) return new Response(JSON.stringify(message.value), shown);
    const refusal = message.ok ? (fault as Refusal) : message.refusal;
    refused(refusal);
    return refusedBody(refusal, request, shown);
  };
}

/** The answer in place of a refused body. */
function refusedBody(refusal: Refusal, { id, isMessage }: SentRequest, shown: ResponseInit): Response {
  if (id !== undefined) return new Response(JSON.stringify(errorResponse(id, refusal)), shown);
  if (isMessage) return new Response(null, shown);
  throw new TypeError(`The answer of the server is refused: ${refusal.message}`);
}

interface SentRequest {
  /** True for a message of JSON-RPC, false for a request of an authorization. */
  readonly isMessage: boolean;
  readonly id?: RequestId;
}

function requestIn(body: unknown): SentRequest {
  if (typeof body !== 'string' || !body.startsWith('{')) return { isMessage: body === undefined };
  const value = JSON.parse(body) as JsonValue;
  if (!isObject(value) || member(value, 'jsonrpc') !== '2.0') return { isMessage: false };
  const id = member(value, 'id');
  return { isMessage: true, ...((typeof id === 'string' || typeof id === 'number') && { id }) };
}

interface ReadBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWhole: boolean;
}

/** The bytes of a body, or its first ones where it has more than `bytesMax`. */
async function readBody(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<ReadBody> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: concatBytes(parts), isWhole: true };
    parts.push(value);
    length += value.byteLength;
    if (length <= bytesMax) continue;
    reader.cancel().catch(() => undefined);
    return { bytes: concatBytes(parts).subarray(0, bytesMax), isWhole: false };
  }
}

/** Told of each message that was refused, also where no call waits for it. */
export type RefusedListener = (refusal: Refusal) => void;

/** An event of a `text/event-stream` while it is read. */
interface OpenEvent {
  type: string;
  id: string | undefined;
  retry: string | undefined;
  /** Number of lines of data. */
  lines: number;
  /** Length of the data with the line feeds between its lines, also where it is over the limit and not kept. */
  bytes: number;
  /** The data, and room for more of it. An event may have millions of empty lines: each takes a single byte here. */
  data: Uint8Array;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const encoder: TextEncoder = new TextEncoder();
const decoder: TextDecoder = new TextDecoder();

/**
 * The stream of a server with every message read by `readMessage` and written again, so that the SDK parses what was
 * checked. A refused response becomes a JSON-RPC error for the request, and other refused messages are left out. A
 * stream that ends without the response becomes an error too, unless the server has named an event to go on from.
 */
export function strictEvents(
  body: ReadableStream<Uint8Array>,
  request: RequestId | undefined,
  refused: RefusedListener,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const events = makeEventReader(request, refused);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const chunk = await reader.read().catch(() => ({ done: true as const, value: undefined }));
        const text = chunk.done ? events.end() : events.push(chunk.value);
        if (text !== '') controller.enqueue(encoder.encode(text));
        if (chunk.done) return controller.close();
        if (text !== '') return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

interface EventReader {
  /** The events that these bytes complete, written again. */
  push(chunk: Uint8Array): string;
  end(): string;
}

function makeEventReader(request: RequestId | undefined, refused: RefusedListener): EventReader {
  let event = emptyEvent();
  let written = '';
  let isAnswered = request === undefined;
  let isResumable = false;
  let afterReturn = false;

  /** The error in place of a refused answer; empty where no call waits for it. */
  const answer = (refusal: Refusal, id: RequestId | undefined): string => {
    refused(refusal);
    if (id === undefined || (isAnswered && id === request)) return '\n';
    isAnswered ||= id === request;
    return dataLine(errorResponse(id, refusal));
  };

  const messageOf = (bytes: Uint8Array): string => {
    const read = readMessage(bytes);
    const fault = read.ok ? answerFault(read.value, request) : undefined;
    if (fault !== undefined) {
      refused(fault);
      return '\n';
    }
    if (read.ok) {
      isAnswered ||= isResponse(read.value, request);
      return dataLine(read.value);
    }
    const { id, isAsked } = refusedShape(bytes);
    if (!isAsked) return answer(read.refusal, request ?? id);
    refused(read.refusal);
    return '\n';
  };

  const dispatch = (): void => {
    const { type, id, retry, lines, data, bytes } = event;
    event = emptyEvent();
    if (id !== undefined) written += `id: ${id}\n`;
    if (retry !== undefined) written += `retry: ${retry}\n`;
    isResumable ||= id !== undefined && id !== '';
    if (bytes > WIRE_LIMITS.bytes) written += answer(tooLarge(bytes), request);
    else if (bytes === 0 || (type !== '' && type !== 'message')) written += lines > 0 ? 'data:\n\n' : '\n';
    else written += messageOf(data.subarray(0, bytes));
  };

  const splitter = makeLineSplitter(WIRE_LIMITS.bytes + 64, {
    line: (line) => (line.byteLength === 0 ? dispatch() : take(event, line)),
    dropped: ({ bytes }) => {
      event.bytes += bytes;
    },
  });

  const flush = (): string => {
    const text = written;
    written = '';
    return text;
  };

  return {
    push(chunk) {
      splitter.push(withLineFeeds(chunk, afterReturn));
      if (chunk.byteLength > 0) afterReturn = chunk.at(-1) === CARRIAGE_RETURN;
      return flush();
    },
    end() {
      // an event without its blank line is dropped, as the standard requires
      return isAnswered || isResumable || request === undefined ? '' : dataLine(cutOffResponse(request));
    },
  };
}

function emptyEvent(): OpenEvent {
  return { type: '', id: undefined, retry: undefined, lines: 0, bytes: 0, data: new Uint8Array() };
}

/** Takes a line of an event. Comments and unknown fields are left out. */
function take(event: OpenEvent, line: Uint8Array): void {
  const colon = line.indexOf(0x3a);
  const end = colon < 0 ? line.byteLength : colon;
  if (end > 5) return;
  const field = decoder.decode(line.subarray(0, end));
  const value = colon < 0 ? new Uint8Array() : line.subarray(line[colon + 1] === 0x20 ? colon + 2 : colon + 1);
  if (field === 'data') addData(event, value);
  if (value.byteLength > 1024) return;
  if (field === 'event') event.type = decoder.decode(value);
  if (field === 'id') event.id = decoder.decode(value);
  if (field === 'retry') event.retry = decoder.decode(value);
}

function addData(event: OpenEvent, value: Uint8Array): void {
  const from = event.bytes + (event.lines > 0 ? 1 : 0);
  event.lines++;
  event.bytes = from + value.byteLength;
  if (event.bytes > WIRE_LIMITS.bytes) {
    event.data = new Uint8Array();
    return;
  }
  if (from === 0) {
    event.data = value;
    return;
  }
  if (event.bytes > event.data.byteLength) {
    const room = new Uint8Array(Math.min(WIRE_LIMITS.bytes, event.bytes * 2)).fill(LINE_FEED);
    room.set(event.data.subarray(0, from));
    event.data = room;
  }
  event.data.set(value, from);
}

function dataLine(value: JsonValue | ErrorResponse): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function isResponse(value: JsonValue, request: RequestId | undefined): boolean {
  return isObject(value) && !Object.hasOwn(value, 'method') && member(value, 'id') === request;
}

/** The standard ends a line by CR, LF or both; the splitter by LF alone. */
function withLineFeeds(chunk: Uint8Array, afterReturn: boolean): Uint8Array {
  if (!afterReturn && !chunk.includes(CARRIAGE_RETURN)) return chunk;
  const bytes = new Uint8Array(chunk.byteLength);
  let length = 0;
  let before = afterReturn;
  for (const byte of chunk) {
    if (byte !== LINE_FEED || !before) bytes[length++] = byte === CARRIAGE_RETURN ? LINE_FEED : byte;
    before = byte === CARRIAGE_RETURN;
  }
  return bytes.subarray(0, length);
}
