import { refuse as refuseBytes } from '../../../../core/errors/decode.ts';
import { refuse } from '../../../../core/errors/protocol.ts';
import { decode } from '../../../../core/json/decode.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
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

/** How the numbers of a server that no double holds are taken: `text` as texts; absent: their message is refused. */
export type NumbersAs = 'text' | undefined;

/**
 * The value of a message of a server. A member of the protocol that is `null` is absent, and a bound of a schema that no
 * double holds (`"maximum": 9223372036854775807`) becomes the nearest double inside of it, which accepts the same values.
 * A tool of a list that the decoder refuses is in its place as `REFUSED_PART`. `request` is the only request that the
 * message can answer, where there is only one.
 */
export function readServerMessage(bytes: Uint8Array, request?: RequestId, numbers?: NumbersAs): Outcome<JsonValue> {
  const strict = readMessage(bytes);
  const read = strict.ok ? strict : (mended(bytes, strict.refusal, numbers) ?? strict);
  return read.ok ? { ...read, value: wellFormed(present(read.value), request) } : read;
}

/** A refused message without what its fault is in, where the fault costs no more than that. */
function mended(bytes: Uint8Array, { code }: Refusal, numbers: NumbersAs): Outcome<JsonValue> | undefined {
  if (!PARTIAL.has(code)) return undefined;
  const text = textOf(bytes);
  if (isToolList(bytes)) return readToolList(text);
  return numbers === 'text' && code === 'number_precision' ? readText(text.replace(TOKEN, precise)) : undefined;
}

/** Refusals for a part of a message: the rest of it can be read. */
const PARTIAL: ReadonlySet<string> = new Set([
  'number_precision',
  'duplicate_member',
  'lone_surrogate',
  'limit_depth',
  'limit_nodes',
]);

function readText(text: string): Outcome<JsonValue> {
  return readMessage(new TextEncoder().encode(text));
}

/** A text of JSON, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** Shortest number that no double holds. */
const DIGITS_MIN = 16;

/** A number that no double holds as a text of its digits; other parts of JSON as they are. */
function precise(token: string): string {
  return token.startsWith('"') || token.length < DIGITS_MIN || readText(token).ok ? token : `"${token}"`;
}

/** Member of a declaration that was refused by the decoder: its reason. */
export const REFUSED_PART = 'sallyport/refused';

/** A list of tools whose declarations are read one by one. Undefined where the message around them is refused. */
function readToolList(text: string): Outcome<JsonValue> | undefined {
  const found = toolsIn(text);
  if (found === undefined) return undefined;
  const around = readText(`${text.slice(0, found.from)}${text.slice(found.to)}`);
  const result = around.ok && isObject(around.value) ? member(around.value, 'result') : undefined;
  if (!around.ok || !isObject(result)) return undefined;
  const tools = found.items.map((item) => declarationOf(item.replace(BOUND, boundOf)));
  return { ...around, value: { ...(around.value as JsonObject), result: { ...result, tools } } };
}

function declarationOf(text: string): JsonValue {
  const read = readText(text);
  if (read.ok) return read.value;
  const given = lenient(new TextEncoder().encode(text));
  const name = isObject(given) ? member(given, 'name') : undefined;
  const { code, message } = read.refusal;
  return { ...(typeof name === 'string' && { name: name.toWellFormed() }), [REFUSED_PART]: `${code}: ${message}` };
}

/** A name with its colon, a text, or a sign that structures JSON. */
const STRUCTURE = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[\]{},]/gs;

interface FoundTools {
  /** The inside of the list. */
  readonly from: number;
  readonly to: number;
  /** Texts of its items. */
  readonly items: readonly string[];
}

/** The list `result.tools` of a text that is JSON. */
function toolsIn(text: string): FoundTools | undefined {
  const path: (string | undefined)[] = [];
  const ends: number[] = [];
  let key: string | undefined;
  let from = 0;
  for (const { 0: token, 1: name, index } of text.matchAll(STRUCTURE)) {
    const isInside = from > 0 && path.length === 3;
    if (name !== undefined) key = JSON.parse(name) as string;
    else if (token === '[' || token === '{') {
      path.push(key);
      if (token === '[' && path.length === 3 && path[1] === 'result' && key === 'tools') from = index + 1;
      key = undefined;
    } else if (token === ']' || token === '}') {
      path.pop();
      if (isInside) return { from, to: index, items: slices(text, from, [...ends, index]) };
    } else if (token === ',' && isInside) ends.push(index);
  }
  return undefined;
}

function slices(text: string, from: number, ends: readonly number[]): readonly string[] {
  const parts = ends.map((end, nth) => text.slice(nth === 0 ? from : (ends[nth - 1] as number) + 1, end));
  return parts.length === 1 && parts[0]?.trim() === '' ? [] : parts;
}

/** In JSON, a name between quotes before a colon is a member's: a quote inside of a text has a backslash. */
const BOUND = /("(?:maximum|minimum|exclusiveMaximum|exclusiveMinimum)"\s*:\s*)(-?\d{16,400})(?=\s*[,}\]])/g;

function isToolList(bytes: Uint8Array): boolean {
  const value = lenient(bytes);
  const result = isObject(value) ? member(value, 'result') : undefined;
  return isObject(result) && Array.isArray(member(result, 'tools'));
}

/** The nearest double on the inner side of a bound: every double that the bound permits is permitted still. */
function boundOf(whole: string, name: string, literal: string): string {
  const exact = BigInt(literal);
  const double = Number(literal);
  if (!Number.isFinite(double) || BigInt(double) === exact) return whole;
  const isUpper = name.includes('aximum');
  const isInside = isUpper ? BigInt(double) < exact : BigInt(double) > exact;
  // between two neighbours no double lies: an exclusive bound may move outwards, another moves inwards
  const isExclusive = name.includes('exclusive');
  return `${name}${isInside === isExclusive ? beside(double, isUpper === isExclusive) : BigInt(double)}`;
}

/** The next double above or below an integer of 16 digits or more. */
function beside(double: number, isAbove: boolean): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  const isAway = double > 0 === isAbove;
  view.setBigInt64(0, view.getBigInt64(0) + (isAway ? 1n : -1n));
  return BigInt(view.getFloat64(0));
}

/** Members whose values are data of the server, and no part of the protocol: a `null` inside of them stays. */
const DATA: ReadonlySet<string> = new Set([
  'structuredContent',
  'arguments',
  'inputSchema',
  'outputSchema',
  '_meta',
  'data',
  'default',
]);

/** The value without the members that are null. */
function present(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each) => present(each as JsonValue));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (each === null) return name === 'id' ? [[name, each] as const] : [];
      return [[name, DATA.has(name) ? each : present(each as JsonValue)] as const];
    }),
  );
}

/** A response in the form that a client knows: the call that waits for it ends with its reason, and at once. */
function wellFormed(value: JsonValue, request: RequestId | undefined): JsonValue {
  if (!isObject(value) || Object.hasOwn(value, 'method')) return value;
  const [error, result] = [member(value, 'error'), member(value, 'result')];
  const given = member(value, 'id') ?? null;
  const id = error !== undefined && given === null && request !== undefined ? request : given;
  if (id === null || typeof id === 'object') return value;
  const response = { jsonrpc: '2.0', id };
  if (error !== undefined) return { ...response, error: errorIn(error) };
  if (isObject(result)) return { ...response, result };
  const got = result === undefined ? 'none' : kindOf(result);
  const { refusal } = refuse('wrong_type', { expected: 'an object', got }, { step: 'structure', pointer: '/result' });
  return errorResponse(id as RequestId, refusal) as unknown as JsonObject;
}

const INTERNAL_ERROR = -32_603;

function errorIn(error: JsonValue): JsonObject {
  const parts = isObject(error) ? error : { message: error };
  const { code, message, data } = parts as { readonly [name: string]: JsonValue };
  return {
    code: Number.isSafeInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : 'The server has answered with an error, and does not say why.',
    ...(data !== undefined && { data }),
  };
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

/** The JSON-RPC error that stands for an answer whose stream ended before it. `why` is a clause. */
export function cutOffResponse(id: RequestId, why?: string): ErrorResponse {
  const more = why === undefined ? '' : `, and ${why}`;
  return responseOf(id, 'mcp_connection', `The connection ended before the answer was complete${more}.`);
}

/** The JSON-RPC error that stands for the answer of a server which has forgotten the session of the request. */
export function forgottenResponse(id: RequestId): ErrorResponse {
  return responseOf(id, SESSION_FORGOTTEN, 'The server has forgotten the session.');
}

export const SESSION_FORGOTTEN = 'session_forgotten';

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
