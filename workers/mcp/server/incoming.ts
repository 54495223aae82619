import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { canonicalText } from '../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import type { Refusal } from '../../../core/outcome.ts';
import {
  answerFault,
  type ErrorResponse,
  errorResponse,
  type RefusedShape,
  type RequestId,
  readMessage,
  refusedShape,
  shapeOfEdges,
  textOf,
} from '../wire/message.ts';
import { tooLarge } from '../wire/refusals.ts';

/** Member of `_meta` that carries the JSON text of a call's arguments past the SDK, which reads and changes values. */
const ARGUMENTS = 'sallyport/arguments';

/**
 * A message as the SDK receives it. The arguments of a call travel as text, so that the gate judges the value that was
 * decoded: the SDK leaves out a member `__proto__`, and refuses arguments that are no object before the ledger has them.
 */
function sealArguments(message: JsonObject): JsonObject {
  const { method, params } = message;
  if (method !== 'tools/call' || !isObject(params)) return message;
  const { _meta: meta = {}, arguments: args = {} } = params;
  if (!isObject(meta)) return message;
  return { ...message, params: { ...params, arguments: {}, _meta: { ...meta, [ARGUMENTS]: canonicalText(args) } } };
}

/** The JSON text of a call's arguments. */
export function argumentsIn(meta: { readonly [name: string]: unknown } | undefined): string {
  const text = meta?.[ARGUMENTS];
  if (typeof text !== 'string') throw new Error('The transport has sealed the arguments of this call.');
  return text;
}

/** A message of the protocol, or the reason why its bytes are none. */
export type Incoming =
  | { readonly message: JSONRPCMessage }
  | {
      readonly why: string;
      /** Answer to the client. Absent: the bytes were an answer themselves. */
      readonly reply?: ErrorResponse;
      /** Failure of the server's own request that these bytes were to answer. */
      readonly failure?: ErrorResponse;
    };

const INVALID_REQUEST = -32_600;
/** First bytes of a message that tell its kind. */
const HEAD = 4096;
const BATCH = 'A batch of messages is not served. Send each message by itself.';
const NO_MESSAGE = 'This is no message of JSON-RPC 2.0.';

/** Reads the bytes of a message by the rules of `decode`. Never throws. */
export function readIncoming(bytes: Uint8Array): Incoming {
  const read = readMessage(bytes);
  if (!read.ok) return unread(refusedShape(bytes), bytes, read.refusal);
  const { value } = read;
  if (Array.isArray(value)) return invalid(null, BATCH);
  const fault = isObject(value) ? answerFault(value) : undefined;
  if (fault !== undefined && isAnswer(value)) return { why: fault.message };
  try {
    return { message: parseJSONRPCMessage(isObject(value) ? sealArguments(value) : value) };
  } catch {
    const id = isObject(value) ? member(value, 'id') : undefined;
    return invalid(typeof id === 'string' || typeof id === 'number' ? id : null, NO_MESSAGE);
  }
}

function isAnswer(value: JsonValue): boolean {
  return isObject(value) && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));
}

/** The refusal of a message that was longer than its bound. */
export function tooLong(head: Uint8Array, tail: Uint8Array, used: number): Incoming {
  return unread(shapeOfEdges(textOf(head), textOf(tail)), head, tooLarge(used));
}

/** The beginning of a message that answers a request of ours. */
const ANSWER = /^\s*\{[^{}]*"(?:result|error)"\s*:/;

function unread({ id, isAsked }: RefusedShape, bytes: Uint8Array, refusal: Refusal): Incoming {
  const response = errorResponse(id ?? null, refusal);
  const isOurs = !isAsked && id !== undefined && ANSWER.test(textOf(bytes.subarray(0, HEAD)));
  return { why: refusal.message, ...(isOurs ? { failure: response } : { reply: response }) };
}

function invalid(id: RequestId | null, message: string): Incoming {
  const error = {
    code: INVALID_REQUEST,
    message: `Refused by Sallyport: ${message}`,
    data: { code: 'not_object', by: 'sallyport' as const },
  };
  return { why: message, reply: { jsonrpc: '2.0', id, error } };
}
