import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import type { Step } from '../../../../core/errors/details.ts';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { encodeText } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../../core/json/value.ts';
import type { Outcome, Refusal } from '../../../../core/outcome.ts';
import { kindOf } from '../../../../core/protocol/shape.ts';
import {
  answerFault,
  type ErrorResponse,
  type RefusedShape,
  type RequestId,
  readMessage,
  refusedShape,
  shapeOfEdges,
  textOf,
  tooLarge,
} from '../wire/message.ts';

/** Members of `_meta` that carry texts past the SDK, which reads and changes values. */
const ARGUMENTS = 'sallyport/arguments';
const WIRE = 'sallyport/wire';

/**
 * A request as the SDK receives it, with its own text. The arguments of a call travel as text, so that the gate judges
 * the value that was decoded: the SDK leaves out a member `__proto__`, and refuses arguments that are no object before
 * the ledger has them.
 */
function sealed(message: JsonObject, bytes: Uint8Array): JsonObject {
  const { method, params = {} } = message;
  if (!isRequest(message) || !isObject(params)) return message;
  const { _meta: meta = {}, arguments: args = {} } = params;
  if (!isObject(meta)) return message;
  const isCall = method === CALL;
  const texts = { [WIRE]: textOf(bytes), ...(isCall && { [ARGUMENTS]: canonicalText(args) }) };
  return { ...message, params: { ...params, ...(isCall && { arguments: {} }), _meta: { ...meta, ...texts } } };
}

type Meta = { readonly [name: string]: unknown } | undefined;

/** The JSON text of a call's arguments. */
export function argumentsIn(meta: Meta): string {
  const text = meta?.[ARGUMENTS];
  if (typeof text !== 'string') throw new Error('The transport has sealed the arguments of this call.');
  return text;
}

/** The bytes of a request as they came. */
export function wireIn(meta: Meta): Uint8Array | undefined {
  const text = meta?.[WIRE];
  return typeof text === 'string' ? encodeText(text) : undefined;
}

/** A message of the protocol, or the reason why its bytes are none. */
export type Incoming =
  | { readonly message: JSONRPCMessage }
  | {
      readonly refusal: Refusal;
      /** Answer to the client. Absent: the bytes were an answer or a notification themselves. */
      readonly reply?: ErrorResponse;
      /** Failure of the server's own request that these bytes were to answer. */
      readonly failure?: ErrorResponse;
    };

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
/** First bytes of a message that tell its kind. */
const HEAD = 4096;
const CALL = 'tools/call';
const AT = { step: 'structure' } as const satisfies { readonly step: Step };

/** Reads the bytes of a message by the rules of `decode` and in the closed forms of the protocol. Never throws. */
export function readIncoming(bytes: Uint8Array): Incoming {
  const read = readMessage(bytes);
  if (!read.ok) return unread(refusedShape(bytes), bytes, read.refusal);
  const { value } = read;
  const formed = messageIn(value);
  if (!formed.ok) return refused(value, INVALID_REQUEST, formed.refusal);
  const called = formed.value['method'] === CALL ? callIn(formed.value['params']) : undefined;
  if (called !== undefined) return refused(value, INVALID_PARAMS, called);
  const fault = answerFault(value);
  if (fault !== undefined && isAnswer(value)) return { refusal: fault };
  try {
    return { message: parseJSONRPCMessage(sealed(formed.value, bytes)) };
  } catch {
    return refused(value, INVALID_REQUEST, unserved('no message of JSON-RPC 2.0').refusal);
  }
}

function isAnswer(value: JsonValue): boolean {
  return isObject(value) && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));
}

/** The refusal of a message that was longer than its bound. */
export function tooLong(head: Uint8Array, tail: Uint8Array, used: number): Incoming {
  return unread(shapeOfEdges(textOf(head), textOf(tail)), head, tooLarge(used));
}

/** The error of JSON-RPC that stands for a refusal, with the class and the code that the ledger has. */
export function refusalResponse(id: RequestId | null, error: number, refusal: Refusal): ErrorResponse {
  const { class: kind, code, message } = refusal;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: error, message: `Refused by Sallyport: ${message}`, data: { class: kind, code, by: 'sallyport' } },
  };
}

const ASKING: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const ANSWERING: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result', 'error']);

/** A request, a notification or an answer: a closed object. */
function messageIn(value: JsonValue): Outcome<JsonObject> {
  if (Array.isArray(value)) return unserved('a batch; send each message by itself');
  if (!isObject(value)) return refuse('not_object', { got: kindOf(value) }, AT);
  const fault = envelopeFault(value);
  return fault === undefined ? { ok: true, value } : { ok: false, refusal: fault };
}

function unserved(reason: string): { readonly ok: false; readonly refusal: Refusal } {
  return refuse('message_unserved', { status: INVALID_REQUEST, reason }, AT);
}

function envelopeFault(value: JsonObject): Refusal | undefined {
  const { jsonrpc, id, method, params } = value;
  if (!Object.hasOwn(value, 'jsonrpc')) return missing('', 'jsonrpc');
  if (jsonrpc !== '2.0') return wrong('/jsonrpc', '"2.0"', jsonrpc);
  const unknown = unknownIn(value, Object.hasOwn(value, 'method') ? ASKING : ANSWERING, '');
  if (unknown !== undefined) return unknown;
  // an answer to bytes without an id has none
  if (!Object.hasOwn(value, 'method')) return undefined;
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id))
    return wrong('/id', 'a string or an integer', id);
  if (typeof method !== 'string') return wrong('/method', 'a string', method);
  if (params !== undefined && !isObject(params)) return wrong('/params', 'an object', params);
  // what asks for something has an id, so that its answer finds its way
  return id === undefined && !method.startsWith('notifications/') ? missing('', 'id') : undefined;
}

/**
 * Members of a call's parameters. `task` asks for a task, which the versions with tasks tell a server without them to
 * leave aside.
 */
const PARAMS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta', 'requestState', 'inputResponses', 'task']);

/** The fault of a call's parameters. The arguments themselves are for the gate. */
function callIn(params: JsonValue | undefined): Refusal | undefined {
  if (!isObject(params)) return params === undefined ? missing('', 'params') : wrong('/params', 'an object', params);
  const unknown = unknownIn(params, PARAMS, '/params');
  if (unknown !== undefined) return unknown;
  const { name, _meta: meta } = params;
  if (!Object.hasOwn(params, 'name')) return missing('/params', 'name');
  if (typeof name !== 'string') return wrong('/params/name', 'a string', name);
  return meta === undefined || isObject(meta) ? undefined : wrong('/params/_meta', 'an object', meta);
}

function unknownIn(value: JsonObject, known: ReadonlySet<string>, at: string): Refusal | undefined {
  const name = Object.keys(value).find((each) => !known.has(each));
  return name === undefined
    ? undefined
    : refuse('unknown_member', { name }, { ...AT, pointer: pointerTo(at, name) }).refusal;
}

function missing(pointer: string, name: string): Refusal {
  return refuse('missing_member', { name }, { ...AT, pointer }).refusal;
}

function wrong(pointer: string, expected: string, got: JsonValue | undefined): Refusal {
  return refuse('wrong_type', { expected, got: kindOf(got ?? null) }, { ...AT, pointer }).refusal;
}

/** The beginning of a message that answers a request of ours. */
const ANSWER = /^\s*\{[^{}]*"(?:result|error)"\s*:/;

function unread({ id, isAsked }: RefusedShape, bytes: Uint8Array, refusal: Refusal): Incoming {
  const response = refusalResponse(id ?? null, PARSE_ERROR, refusal);
  const isAnswer = !isAsked && id !== undefined && ANSWER.test(textOf(bytes.subarray(0, HEAD)));
  return { refusal, ...(isAnswer ? { failure: response } : { reply: response }) };
}

/** A message that was read and is no message of the protocol. A notification and an answer get no reply. */
function refused(value: JsonValue, error: number, refusal: Refusal): Incoming {
  const id = isObject(value) ? member(value, 'id') : undefined;
  const response = refusalResponse(typeof id === 'string' || typeof id === 'number' ? id : null, error, refusal);
  const isAsked = !isObject(value) || Object.hasOwn(value, 'method');
  if (!isAsked && isAnswer(value)) return { refusal, failure: response };
  return isObject(value) && isAsked && !Object.hasOwn(value, 'id') ? { refusal } : { refusal, reply: response };
}

function isRequest(message: JsonObject): boolean {
  return Object.hasOwn(message, 'method') && Object.hasOwn(message, 'id');
}
