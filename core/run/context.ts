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
  /** Only ever added to, behind all that any context sees: so a context never changes, and a step copies nothing. */
  readonly list: Told[];
  /** So many of the list's messages up to the newest task, that one included; 0 before there is any. */
  readonly task: number;
}
export type Context = ContextEntry | undefined;

interface Told {
  readonly message: Message;
  /** UTF-8 bytes. */
  readonly size: number;
}

/** Adds what was said. A task of the model's stays in sight, however much comes after it, until there is another. */
export function remember(context: Context, role: Message['role'], content: string, isTask = false): Context {
  const size = utf8Length(content);
  const message = Object.freeze({ role, content });
  const list = listBehind(context);
  const count = list.push({ message, size });
  return { count, bytes: (context?.bytes ?? 0) + size, message, list, task: isTask ? count : (context?.task ?? 0) };
}

/** The list that ends where the context does; who goes on from an older one than the newest gets one of his own. */
function listBehind(context: Context): Told[] {
  if (context === undefined) return [];
  const { count, list } = context;
  return count === list.length ? list : list.slice(0, count);
}

/**
 * The messages for the next proposal: the opening and the newest task always, then as many of the newest entries as
 * fit `bytesMax` UTF-8 bytes together with it, oldest first. Where the newest alone is too long, the model is told so in
 * its place. Its cost is bounded by the budget, not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  if (context === undefined) return opening.slice();
  const { count, task, list } = context;
  const own = list[task - 1];
  const shown: Message[] = [];
  let room = bytesMax - (own?.size ?? 0);
  for (let at = count - 1; at >= 0; at--) {
    const told = list[at] as Told;
    const { message, size } = told !== own && at === count - 1 && told.size > room ? tooLong(told) : told;
    if (told !== own) room -= size;
    if (room < 0) break;
    shown.push(message);
  }
  if (own !== undefined && !shown.includes(own.message)) shown.push(own.message);
  return opening.concat(shown.reverse());
}

function tooLong({ size }: Told): Told {
  const content = `Result too long: ${size} bytes. Ask for a smaller result.`;
  return { message: { role: 'user', content }, size: content.length };
}
