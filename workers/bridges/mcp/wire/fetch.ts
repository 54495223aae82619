import { isObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { type RefusedListener, strictEvents } from './events.ts';
import { answerFault, errorResponse, type RequestId, readMessage, WIRE_LIMITS } from './message.ts';
import { tooLarge } from './refusals.ts';

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
    if (done) return { bytes: joined(parts, length), isWhole: true };
    parts.push(value);
    length += value.byteLength;
    if (length <= bytesMax) continue;
    reader.cancel().catch(() => undefined);
    return { bytes: joined(parts, length).subarray(0, bytesMax), isWhole: false };
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
