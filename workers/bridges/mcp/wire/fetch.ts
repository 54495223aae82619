import { concatBytes } from '../../../../core/json/utf8.ts';
import { isObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { Outcome, Refusal } from '../../../../core/outcome.ts';
import { makeSseReader } from '../../models/sse.ts';
import {
  answerFault,
  cutOffResponse,
  type ErrorResponse,
  errorResponse,
  type NumbersAs,
  type RequestId,
  readMessage,
  readServerMessage,
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
export function strictFetch(
  fetch: Fetch,
  refused: RefusedListener = () => undefined,
  { numbers, follow }: StreamParts = {},
): Fetch {
  return async (url, init = {}) => {
    const response = await fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' });
    const { status, statusText, headers, body } = response;
    if (body === null || status < 200 || (status >= 300 && status < 400)) return response;
    const shown = { status, statusText, headers };
    const type = (headers.get('content-type') ?? '').toLowerCase();
    const request = requestIn(init.body);
    if (response.ok && type.startsWith('text/event-stream'))
      return new Response(strictEvents(body, request.id, refused, { numbers, follower: follow?.(init) }), shown);
    const read = await readBody(body, response.ok ? WIRE_LIMITS.bytes : ERROR_BYTES);
    if (!type.includes('json')) return new Response(read.isWhole ? read.bytes : null, shown);
    const message = read.isWhole
      ? readServed(read.bytes, response.ok ? request.id : undefined, numbers)
      : { ok: false as const, refusal: tooLarge(WIRE_LIMITS.bytes) };
    const answered = message.ok && response.ok && request.id !== undefined;
    const fault = answered ? answerFault(message.value, request.id) : undefined;
    if (message.ok && fault === undefined) return new Response(JSON.stringify(message.value), shown);
    const refusal = message.ok ? (fault as Refusal) : message.refusal;
    refused(refusal);
    return refusedBody(refusal, request, shown);
  };
}

interface StreamParts {
  readonly numbers?: NumbersAs;
  /** Makes the follower of the stream that answers this request. */
  readonly follow?: (init: RequestInit) => StreamFollower | undefined;
}

/** Hears how a stream has ended. */
export interface StreamFollower {
  /** The event that the stream goes on from. A client forgets it where no other comes. */
  readonly from?: string;
  ended(end: StreamEnd): void;
}

interface StreamEnd {
  /** The last event of the stream that can be gone on from. */
  readonly event?: string;
  /** The request whose answer the stream was for. */
  readonly request?: RequestId;
  readonly isAnswered: boolean;
}

/** A body that answers no message, for example a document of an authorization, stays as it is. */
function readServed(bytes: Uint8Array, request: RequestId | undefined, numbers: NumbersAs): Outcome<JsonValue> {
  return request === undefined ? readMessage(bytes) : readServerMessage(bytes, request, numbers);
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

/** The request of JSON-RPC in the body that is sent. */
export function requestIn(body: unknown): SentRequest {
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

const encoder: TextEncoder = new TextEncoder();

/**
 * The stream of a server with every message read by `readMessage` and written again, so that the SDK parses what was
 * checked. A refused response becomes a JSON-RPC error for the request, and other refused messages are left out. A
 * stream that ends without the response becomes an error too, unless the server has named an event to go on from.
 */
export function strictEvents(
  body: ReadableStream<Uint8Array>,
  request: RequestId | undefined,
  refused: RefusedListener,
  how: EventsParts = {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const events = makeEventReader(request, refused, how);
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

interface EventsParts {
  readonly numbers?: NumbersAs;
  readonly follower?: StreamFollower | undefined;
}

function makeEventReader(
  request: RequestId | undefined,
  refused: RefusedListener,
  { numbers, follower }: EventsParts,
): EventReader {
  let written = follower?.from === undefined ? '' : `id: ${follower.from}\ndata:\n\n`;
  let isAnswered = request === undefined;
  let lastId: string | undefined;
  let hasResponse = false;

  /** The error in place of a refused answer; empty where no call waits for it. */
  const answer = (refusal: Refusal, id: RequestId | undefined): string => {
    refused(refusal);
    if (id === undefined || (isAnswered && id === request)) return '\n';
    isAnswered ||= id === request;
    return dataLine(errorResponse(id, refusal));
  };

  const messageOf = (bytes: Uint8Array): string => {
    const read = readServerMessage(bytes, request, numbers);
    const fault = read.ok ? answerFault(read.value, request) : undefined;
    if (fault !== undefined) {
      refused(fault);
      return '\n';
    }
    if (read.ok) {
      isAnswered ||= isResponse(read.value, request);
      hasResponse ||= isObject(read.value) && !Object.hasOwn(read.value, 'method');
      return dataLine(read.value);
    }
    const { id, isAsked } = refusedShape(bytes);
    if (!isAsked) return answer(read.refusal, request ?? id);
    refused(read.refusal);
    return '\n';
  };

  const events = makeSseReader(WIRE_LIMITS.bytes, ({ type, id, retry, lines, data, bytes }) => {
    if (id !== undefined) written += `id: ${id}\n`;
    if (retry !== undefined) written += `retry: ${retry}\n`;
    if (id !== undefined && id !== '') lastId = id;
    if (bytes > WIRE_LIMITS.bytes) written += answer(tooLarge(bytes), request);
    else if (bytes === 0 || type !== 'message') written += lines > 0 ? 'data:\n\n' : '\n';
    else written += messageOf(data);
  });

  const flush = (): string => {
    const text = written;
    written = '';
    return text;
  };

  return {
    push(chunk) {
      events.push(chunk);
      return flush();
    },
    end() {
      // an event without its blank line is dropped, as the standard requires
      const isOver = hasResponse || (isAnswered && request !== undefined);
      follower?.ended({
        isAnswered: isOver,
        ...(lastId !== undefined && { event: lastId }),
        ...(request !== undefined && { request }),
      });
      return isOver || request === undefined || lastId !== undefined ? '' : dataLine(cutOffResponse(request));
    },
  };
}

function dataLine(value: JsonValue | ErrorResponse): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function isResponse(value: JsonValue, request: RequestId | undefined): boolean {
  return isObject(value) && !Object.hasOwn(value, 'method') && member(value, 'id') === request;
}
