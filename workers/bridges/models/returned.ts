import { canonicalize } from '../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { callIn } from '../../../core/protocol/call-text.ts';
import type { ModelMessage, ModelRequest } from '../../api.ts';
import type { ChatAnswer, Completion } from './completion.ts';
import { own } from './own.ts';

/** Data of the server beside a call: members of the message, and the `extra_content` of the call. */
export interface Beside {
  readonly message?: JsonObject;
  readonly call?: JsonObject;
}

/** The model that data belongs to, and whether its server is known to demand it. */
export interface DataOwner {
  readonly id: string;
  readonly returns?: 'data' | undefined;
}

/** Members of a message that servers demand back; `reasoning` has the parts of the AI SDK. */
const MESSAGE_MEMBERS = ['reasoning_content', 'reasoning_details', 'reasoning'] as const;

/**
 * What a server sent beside the call that its answer made, as the text that the ledger keeps with the proposal: a
 * thought signature, or the reasoning. Undefined for a server that has demanded none so far. It names its model: what one
 * server sent is nothing that another one knows.
 */
export function providerDataOf(
  { calls = [], beside }: ChatAnswer,
  { text }: Completion,
  { messages, dialect }: ModelRequest,
  owner: DataOwner,
): string | undefined {
  const [made] = calls;
  if (made === undefined || typeof text !== 'string' || callIn(dialect, text) === undefined) return undefined;
  const data = { ...(beside && { message: beside }), ...(made.extra && { call: made.extra }) };
  const isDemanded = Object.keys(data).length > 0 || besideOf(messages, owner) !== undefined;
  const all = { model: owner.id, ...data };
  return isDemanded && canonicalize(all).ok ? JSON.stringify(all) : undefined;
}

/**
 * The data of this model by the ids of the calls; undefined for a server that demands none. The text may come from a
 * restored backup: of it, nothing but the members that servers demand back is read.
 */
export function besideOf(
  messages: readonly ModelMessage[],
  { id, returns }: DataOwner,
): ReadonlyMap<string, Beside> | undefined {
  const found = new Map<string, Beside>();
  for (const { kind, call } of messages) {
    const data = kind === 'proposal' ? readData(call?.providerData, id) : undefined;
    if (data !== undefined && call !== undefined) found.set(call.id, data);
  }
  return returns === 'data' || found.size > 0 ? found : undefined;
}

function readData(text: string | undefined, id: string): Beside | undefined {
  const value = text === undefined ? undefined : parsed(text);
  if (value === undefined || !isObject(value)) return undefined;
  const { model, message, call } = own(value);
  if (model !== id) return undefined;
  const members = message !== undefined && isObject(message) ? own(message) : {};
  const known = MESSAGE_MEMBERS.flatMap((name) => {
    const member = members[name];
    return member === undefined ? [] : [[name, member] as const];
  });
  return {
    ...(known.length > 0 && { message: Object.fromEntries(known) }),
    ...(call !== undefined && isObject(call) && { call }),
  };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
