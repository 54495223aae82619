import { refuse as refuseBytes } from '../../../../core/errors/decode.ts';
import { refuse } from '../../../../core/errors/protocol.ts';
import { decode } from '../../../../core/json/decode.ts';
import { isObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { DecodeLimits } from '../../../../core/limits.ts';
import type { Outcome, Refusal } from '../../../../core/outcome.ts';
import { kindOf } from '../../../../core/protocol/shape.ts';

/**
 * Bounds of a message. A screenshot in base64 has a few megabytes; schemas of real servers have fewer than 20 levels; a
 * list of a thousand tools has fewer than 200,000 values.
 */
export const WIRE_LIMITS: DecodeLimits = { bytes: 16 << 20, depth: 128, nodes: 1_000_000 };

/** Id of a JSON-RPC request. */
export type RequestId = string | number;

export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly error: {
    readonly code: number;
    readonly message: string;
    /** The code of a refusal and its class, or `mcp_connection`; `by` tells it from an error of the other side. */
    readonly data: { readonly class?: string; readonly code: string; readonly by: 'sallyport' };
  };
}

/** JSON-RPC's code of a message that cannot be parsed. */
const PARSE_ERROR = -32700;

/** The value of a message, by the rules of `decode` and the limits of the wire. Never throws. */
export function readMessage(bytes: Uint8Array): Outcome<JsonValue> {
  return decode(bytes, WIRE_LIMITS);
}

/**
 * Reason why a message is not for a client: it is no object, as a batch, or it answers by another id than that of a
 * request. `request` is the only request that is answered here; absent: any. The SDK takes `"2"` for 2.
 */
export function answerFault(value: JsonValue, request?: RequestId): Refusal | undefined {
  if (!isObject(value)) return refuse('not_object', { got: kindOf(value) }, { step: 'structure' }).refusal;
  const id = member(value, 'id');
  if (Object.hasOwn(value, 'method') || (request === undefined ? isItself(id) : id === request)) return undefined;
  const got = id === undefined ? 'none' : shownId(id);
  const expected = `the id ${request === undefined ? 'of a request' : JSON.stringify(request)}`;
  return refuse('wrong_type', { expected, got }, { step: 'structure', pointer: '/id' }).refusal;
}

/** True for an id that no other id is taken for. */
function isItself(id: JsonValue | undefined): boolean {
  return typeof id === 'number' || (typeof id === 'string' && Number.isNaN(Number(id)));
}

function shownId(id: JsonValue): string {
  return typeof id === 'object' ? kindOf(id) : JSON.stringify(id).slice(0, 80);
}

/** The refusal of a message that was not kept, because it is longer than the wire's limit. */
export function tooLarge(bytes: number): Refusal {
  return refuseBytes('limit_size', { limit: WIRE_LIMITS.bytes, used: bytes }, { step: 'parse' }).refusal;
}

/** The JSON-RPC error that stands for a refused message. `data.code` is the code of the refusal. */
export function errorResponse(id: RequestId | null, { code, message }: Refusal): ErrorResponse {
  return responseOf(id, code, `Refused: ${message}`);
}

/** The JSON-RPC error that stands for an answer whose stream ended before it. */
export function cutOffResponse(id: RequestId): ErrorResponse {
  return responseOf(id, 'mcp_connection', 'The connection ended before the answer was complete.');
}

function responseOf(id: RequestId | null, code: string, message: string): ErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: PARSE_ERROR, message, data: { code, by: 'sallyport' } } };
}

/** The kind of a message that was refused, as far as its bytes tell. Read for a reply or a notice, and never obeyed. */
export interface RefusedShape {
  readonly id?: RequestId;
  /** True for a request or a notification, false for a response. */
  readonly isAsked: boolean;
}

/** Bytes at either end of a long message that are searched for its id. */
const EDGE = 4096;

const NUMBER_OR_TEXT = String.raw`(-?\d{1,16}|"(?:[^"\\]|\\.){0,256}")`;
const ID_FIRST = new RegExp(
  String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*,)*\s*"id"\s*:\s*${NUMBER_OR_TEXT}`,
);
const ID_LAST = new RegExp(String.raw`"id"\s*:\s*${NUMBER_OR_TEXT}\s*(?:,\s*"jsonrpc"\s*:\s*"[^"]*"\s*)?\}\s*$`);

/** Reads the id of a refused message leniently: with the platform's parser where it can, else from both ends. */
export function refusedShape(bytes: Uint8Array): RefusedShape {
  if (bytes.byteLength <= WIRE_LIMITS.bytes) {
    const value = lenient(bytes);
    if (value !== undefined) return shapeOf(value);
  }
  return shapeOfEdges(textOf(bytes.subarray(0, EDGE)), textOf(bytes.subarray(-EDGE)));
}

/** As `refusedShape`, for a message whose middle was dropped. */
export function shapeOfEdges(head: string, tail: string): RefusedShape {
  const found = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  const id = found === undefined ? undefined : idOf(JSON.parse(found) as JsonValue);
  return { ...(id !== undefined && { id }), isAsked: /^\s*\{[^{[]*"method"\s*:/.test(head) };
}

function shapeOf(value: JsonValue): RefusedShape {
  if (!isObject(value)) return { isAsked: false };
  const id = idOf(member(value, 'id'));
  return { ...(id !== undefined && { id }), isAsked: Object.hasOwn(value, 'method') };
}

function idOf(value: JsonValue | undefined): RequestId | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function lenient(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(textOf(bytes)) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Text of bytes that may be no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** True for bytes without a message: blanks between two line ends. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
