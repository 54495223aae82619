import { utf8Length } from '../json/utf8.ts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What the model has seen: the beginning of a list that the contexts of a run share. */
export interface ContextEntry {
  /** So many of the list's messages. */
  readonly count: number;
  /** Their UTF-8 bytes. */
  readonly bytes: number;
  /** The newest. Frozen: it is handed out with every request, to models of anybody. */
  readonly message: Message;
  readonly list: Told;
}
export type Context = ContextEntry | undefined;

/** Only ever added to, behind all that any context sees: so a context never changes, and a step copies nothing. */
interface Told {
  readonly messages: Message[];
  /** UTF-8 bytes of each message and all before it. */
  readonly ends: number[];
}

export function remember(context: Context, role: Message['role'], content: string): Context {
  const bytes = (context?.bytes ?? 0) + utf8Length(content);
  const message = Object.freeze({ role, content });
  const list = listBehind(context);
  list.ends.push(bytes);
  return { count: list.messages.push(message), bytes, message, list };
}

/** The list that ends where the context does; who goes on from an older one than the newest gets one of his own. */
function listBehind(context: Context): Told {
  if (context === undefined) return { messages: [], ends: [] };
  const { count, list } = context;
  if (count === list.messages.length) return list;
  return { messages: list.messages.slice(0, count), ends: list.ends.slice(0, count) };
}

/**
 * The messages for the next proposal: the beginning (system, first task) always, then as many of the newest
 * entries as fit `bytesMax` UTF-8 bytes, oldest first. Its cost is bounded by the budget, not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  if (context === undefined) return opening.slice();
  const { count, bytes, list } = context;
  return opening.concat(list.messages.slice(firstFrom(list.ends, count, bytes - bytesMax), count));
}

/** The first of so many messages that does not begin before this byte. */
function firstFrom(ends: readonly number[], count: number, byte: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle - 1] ?? 0) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}
