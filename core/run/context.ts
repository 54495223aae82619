import { utf8Length } from '../json/utf8.ts';
import { isObject } from '../json/value.ts';
import { parseJson } from '../ledger/line.ts';
import type { CallText } from '../protocol/call-text.ts';
import { observeResult, replyText } from './observe.ts';

const ROLES = { opening: 'system', task: 'user', proposal: 'assistant', observation: 'user' } as const;

type MessageKind = keyof typeof ROLES;

export interface Message {
  readonly role: (typeof ROLES)[MessageKind];
  readonly kind: MessageKind;
  readonly content: string;
  /** The call of a proposal, also with the observation that answers it. */
  readonly call?: MessageCall;
}

export interface MessageCall extends CallText {
  /** Nine or more letters and digits, unique in the run: some servers accept nine only. */
  readonly id: string;
  /** What the model's server demands back with the call: a text that its adapter alone reads. */
  readonly providerData?: string;
}

export function messageOf(kind: MessageKind, content: string, call?: MessageCall): Message {
  return Object.freeze({ role: ROLES[kind], kind, content, ...(call && { call }) });
}

/** The call of the proposal of this step, with its id. */
export function callOf(step: number, call: CallText | undefined, providerData?: string): MessageCall | undefined {
  const id = `call${String(step).padStart(5, '0')}`;
  return call && Object.freeze({ id, ...call, ...(providerData !== undefined && { providerData }) });
}

/** The messages that the model has seen and that a later request may show: a prefix of a list that contexts share. */
export interface ContextEntry {
  /** Length of the prefix, in messages. */
  readonly count: number;
  /** UTF-8 bytes of all messages of the run. */
  readonly bytes: number;
  /** The newest message. Frozen, because every request hands it to the model's code. */
  readonly message: Message;
  readonly list: MessageList;
  /** Length of the prefix that ends with the newest task; 0 before the first task. */
  readonly task: number;
}
export type Context = ContextEntry | undefined;

/**
 * Messages are only appended, behind the prefix of every context. So a context never changes, and a step copies no
 * message.
 */
interface MessageList {
  readonly messages: Message[];
  /** UTF-8 bytes of the run up to the end of each message. */
  readonly ends: number[];
  /** End of the message before the first; 0 in a list that holds every message. */
  readonly start: number;
}

/**
 * Adds a message. The newest task of the model stays in sight until the next task, however many messages follow it.
 * Messages that no request of at most `bytesMax` bytes can show are forgotten. An observation answers the call of the
 * proposal before it. What a server demands back counts with its proposal.
 */
export function remember(
  context: Context,
  kind: MessageKind,
  content: string,
  bytesMax: number = Number.POSITIVE_INFINITY,
  call?: MessageCall,
): Context {
  const data = kind === 'proposal' ? call?.providerData : undefined;
  const bytes = (context?.bytes ?? 0) + utf8Length(content) + (data === undefined ? 0 : utf8Length(data));
  const answered = kind === 'observation' && context?.message.kind === 'proposal' ? context.message.call : undefined;
  const message = messageOf(kind, content, call ?? answered);
  const list = listBehind(context);
  list.ends.push(bytes);
  const count = list.messages.push(message);
  return shortened({ count, bytes, message, list, task: kind === 'task' ? count : (context?.task ?? 0) }, bytesMax);
}

/** Messages that a list may hold beside those that are needed. */
const SPARE = 64;

/** The context with a shorter list of its own, once most messages of its list can be shown no more. */
function shortened(context: ContextEntry, bytesMax: number): ContextEntry {
  const { count, task, list } = context;
  // a reply that is too long is shown without its result, behind what was said before it
  const before = Math.max(0, count - 2);
  const from = Math.min(before, firstFrom(list, before + 1, (list.ends[before] ?? 0) - bytesMax));
  if (from < SPARE + count / 2) return context;
  const start = list.ends[from - 1] ?? 0;
  const rest = { messages: list.messages.slice(from), ends: list.ends.slice(from), start };
  const own = task > from ? undefined : list.messages[task - 1];
  if (own === undefined) return { ...context, count: count - from, task: Math.max(0, task - from), list: rest };
  const behindTask = {
    messages: [own, ...rest.messages],
    ends: [start, ...rest.ends],
    start: start - sizeOf(list, task),
  };
  return { ...context, count: count - from + 1, task: 1, list: behindTask };
}

/** The context with another text as its newest message. */
export function rephrase(context: Context, content: string): Context {
  if (context === undefined) return undefined;
  const { count, list, message } = context;
  const [before, bytes = 0] = [list.messages[count - 2], list.ends[count - 2]];
  const older = before && { ...context, count: count - 1, bytes, message: before };
  return remember(older, message.kind, content, undefined, message.call);
}

/**
 * The list whose last message is the context's newest. A context that is older than the list's end gets a copy of its
 * prefix.
 */
function listBehind(context: Context): MessageList {
  if (context === undefined) return { messages: [], ends: [], start: 0 };
  const { count, list } = context;
  if (count === list.messages.length) return list;
  return { ...list, messages: list.messages.slice(0, count), ends: list.ends.slice(0, count) };
}

/**
 * The messages for the next proposal: the opening and the newest task always, then as many of the newest entries as fit
 * `bytesMax` UTF-8 bytes together with the task, oldest first. The newest entry is always shown. It fits, unless the
 * model's window is smaller than the window that the run was begun with: then it has its shorter form, of at most
 * `REPLY_BYTES` bytes where not even that fits. The `proposal` records such a window. The cost is bounded by the budget, not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  if (context === undefined) return opening.slice();
  const { count, task, list } = context;
  const newest = sizeOf(list, count);
  const room = bytesMax - sizeOf(list, task);
  if (task === count || newest <= room) return opening.concat(...newestOf(list, task, count, bytesMax));
  const note = omitted(context.message, room);
  const length = utf8Length(note.content);
  if (length > room) return opening.concat(list.messages[task - 1] ?? [], note);
  return opening.concat(...newestOf(list, task, count - 1, bytesMax - length), note);
}

/** The task, and the newest of the first `count` messages that fit together with it: the parts of a list. */
function newestOf(told: MessageList, task: number, count: number, bytesMax: number): readonly Message[][] {
  const { messages: all, ends } = told;
  const from = (bytes: number): number => firstFrom(told, count, (ends[count - 1] ?? 0) - bytes);
  const first = from(bytesMax);
  if (task === 0 || first < task) return [all.slice(first, count)];
  return [all.slice(task - 1, task), all.slice(from(bytesMax - sizeOf(told, task)), count)];
}

/** UTF-8 bytes of the last of the first `count` messages; 0 for an empty prefix. */
function sizeOf({ ends, start }: MessageList, count: number): number {
  return (ends[count - 1] ?? start) - (ends[count - 2] ?? start);
}

/** Index of the first of the first `count` messages that begins at this byte or later. */
function firstFrom({ ends, start }: MessageList, count: number, byte: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle - 1] ?? start) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** UTF-8 bytes that a message may have beside the newest task. */
export function roomBesideTask(context: Context, bytesMax: number): number {
  return context === undefined ? bytesMax : bytesMax - sizeOf(context.list, context.task);
}

function omitted({ kind, content, call }: Message, room: number): Message {
  const value = parseJson(content);
  return messageOf(kind, replyText(isObject(value) ? value : observeResult(content), room), call);
}
