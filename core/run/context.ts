import { utf8Length } from '../json/utf8.ts';
import { isObject } from '../json/value.ts';
import { parseJson } from '../ledger/line.ts';
import { observeResult, replyText } from './observe.ts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The messages that the model has seen: a prefix of a list that all contexts of a run share. */
export interface ContextEntry {
  /** Length of the prefix, in messages. */
  readonly count: number;
  /** UTF-8 bytes of the prefix. */
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
  /** UTF-8 bytes up to the end of each message. */
  readonly ends: number[];
}

/** Adds a message. The newest task of the model stays in sight until the next task, however many messages follow it. */
export function remember(context: Context, role: Message['role'], content: string, isTask = false): Context {
  const bytes = (context?.bytes ?? 0) + utf8Length(content);
  const message = Object.freeze({ role, content });
  const list = listBehind(context);
  list.ends.push(bytes);
  const count = list.messages.push(message);
  return { count, bytes, message, list, task: isTask ? count : (context?.task ?? 0) };
}

/** The context with another text as its newest message. */
export function rephrase(context: Context, content: string): Context {
  if (context === undefined) return undefined;
  const { count, list, message } = context;
  const [before, bytes = 0] = [list.messages[count - 2], list.ends[count - 2]];
  const older = before && { ...context, count: count - 1, bytes, message: before };
  return remember(older, message.role, content, context.task === count);
}

/**
 * The list whose last message is the context's newest. A context that is older than the list's end gets a copy of its
 * prefix.
 */
function listBehind(context: Context): MessageList {
  if (context === undefined) return { messages: [], ends: [] };
  const { count, list } = context;
  if (count === list.messages.length) return list;
  return { messages: list.messages.slice(0, count), ends: list.ends.slice(0, count) };
}

/**
 * The messages for the next proposal: the opening and the newest task always, then as many of the newest entries as fit
 * `bytesMax` UTF-8 bytes together with the task, oldest first. The newest entry fits, unless the model's window is
 * smaller than the window that the run was begun with: then its result is omitted. The cost is bounded by the budget,
 * not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  if (context === undefined) return opening.slice();
  const { count, task, list } = context;
  const newest = sizeOf(list, count);
  const room = bytesMax - sizeOf(list, task);
  if (task === count || newest <= room) return opening.concat(newestOf(list, task, count, bytesMax));
  const note = omitted(list.messages[count - 1]?.content ?? '', room);
  const length = utf8Length(note.content);
  if (length > room) return opening.concat(list.messages[task - 1] ?? []);
  return opening.concat(newestOf(list, task, count - 1, bytesMax - length), note);
}

/** The task, and the newest of the first `count` messages that fit together with it. */
function newestOf(told: MessageList, task: number, count: number, bytesMax: number): Message[] {
  const { messages: all, ends } = told;
  const from = (bytes: number): number => firstFrom(ends, count, (ends[count - 1] ?? 0) - bytes);
  const first = from(bytesMax);
  const own = first < task ? undefined : all[task - 1];
  if (own === undefined) return all.slice(first, count);
  return [own, ...all.slice(from(bytesMax - sizeOf(told, task)), count)];
}

/** UTF-8 bytes of the last of the first `count` messages; 0 for an empty prefix. */
function sizeOf({ ends }: MessageList, count: number): number {
  return (ends[count - 1] ?? 0) - (ends[count - 2] ?? 0);
}

/** Index of the first of the first `count` messages that begins at this byte or later. */
function firstFrom(ends: readonly number[], count: number, byte: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle - 1] ?? 0) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** UTF-8 bytes that a message may have beside the newest task. */
export function roomBesideTask(context: Context, bytesMax: number): number {
  return context === undefined ? bytesMax : bytesMax - sizeOf(context.list, context.task);
}

function omitted(reply: string, room: number): Message {
  const value = parseJson(reply);
  return { role: 'user', content: replyText(isObject(value) ? value : observeResult(reply), room) };
}
