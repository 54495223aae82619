import { type JSONRPCMessage, ProtocolError, type Server, type Transport } from '@modelcontextprotocol/server';
import { refuse } from '../../../../core/errors.ts';
import { encodeText } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject } from '../../../../core/json/value.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import type { RequestId } from '../wire/message.ts';
import type { CallerSession } from './caller-session.ts';
import { refusalResponse, wireIn } from './incoming.ts';

/** Refusals behind the data of an error that this server throws into the SDK. */
const refusals = new WeakMap<object, Refusal>();

/** A refusal as the SDK answers with it. */
export function refusalFault(error: number, refusal: Refusal): ProtocolError {
  const { message, data } = refusalResponse(null, error, refusal).error;
  refusals.set(data, refusal);
  return new ProtocolError(error, message, data);
}

/** The error of a response, as the SDK or a handler wrote it. */
export interface ToldError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The refusal that an error of the SDK stands for. */
export function refusalOfError({ code: status, message, data }: ToldError): Refusal {
  const known = typeof data === 'object' && data !== null ? refusals.get(data) : undefined;
  if (known !== undefined) return known;
  if (isObject(data) && data['reason'] === 'invalid_request_state')
    return refuse('answer_unknown', {}, { step: 'approve' }).refusal;
  const reason = message.slice(0, 512).toWellFormed();
  return refuse('message_unserved', { status, reason }, { step: 'structure' }).refusal;
}

/** The error with the class and the code that the ledger has of it. */
export function withCode<E extends ToldError>(told: E, { class: kind, code }: Refusal): E {
  const data = isObject(told.data) ? told.data : told.data === undefined ? {} : { said: told.data };
  return { ...told, data: { ...data, class: kind, code, by: 'sallyport' } };
}

/** True for an error that has its record already. */
export function isRecorded({ data }: ToldError): boolean {
  return isObject(data) && data['by'] === 'sallyport' && !refusals.has(data);
}

/**
 * Records each request that a server of the SDK answers with an error, and each answer to a question that it has not
 * asked. The client is told the class and the code of the record.
 */
export function recordErrors(server: Server, session: CallerSession): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    watch(transport, session);
    return connect(transport);
  };
  server.onerror = ({ message }) => {
    if (!message.startsWith(UNKNOWN_ANSWER) || message.includes('"by":"sallyport"')) return;
    const bytes = encodeText(message.slice(UNKNOWN_ANSWER.length).toWellFormed());
    session.reject(refuse('answer_unknown', {}, { step: 'approve' }).refusal, bytes);
  };
}

/** The words of the SDK for an answer without a question. */
const UNKNOWN_ANSWER = 'Received a response for an unknown message ID: ';

function watch(transport: Transport, session: CallerSession): void {
  const open = new Map<RequestId, Uint8Array | undefined>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const { id, error } = message as { readonly id?: RequestId; readonly error?: ToldError };
    if (id === undefined || 'method' in message) return send(message, options);
    const bytes = open.get(id);
    open.delete(id);
    if (error === undefined || isRecorded(error)) return send(message, options);
    const refusal = refusalOfError(error);
    session.reject(refusal, bytes);
    return send({ ...message, error: withCode(error, refusal) } as JSONRPCMessage, options);
  };
  let take: Transport['onmessage'];
  const taken: NonNullable<Transport['onmessage']> = (message, extra) => {
    note(message, open);
    take?.(message, extra);
  };
  // the SDK sets its listener while it connects, and messages may come at once
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => take && taken,
    set: (listener: Transport['onmessage']) => {
      take = listener;
    },
  });
}

/** Keeps the bytes of a request until its answer. A cancelled request has none. */
function note(message: object, open: Map<RequestId, Uint8Array | undefined>): void {
  const { id, method, params } = message as {
    readonly id?: RequestId;
    readonly method?: string;
    readonly params?: { readonly _meta?: JsonObject; readonly requestId?: RequestId };
  };
  if (method === 'notifications/cancelled' && params?.requestId !== undefined) open.delete(params.requestId);
  if (method !== undefined && id !== undefined) open.set(id, wireIn(params?._meta));
}
