import { utf8Length } from '../json/utf8.ts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What the model has seen, newest first: a list that is only ever extended, so a step copies nothing. */
export interface ContextEntry {
  /** UTF-8 bytes of this message and all before it. */
  readonly bytes: number;
  /** Frozen: it is handed out with every request, to models of anybody. */
  readonly message: Message;
  readonly before: Context;
}
export type Context = ContextEntry | undefined;

export function remember(context: Context, role: Message['role'], content: string): Context {
  const bytes = (context?.bytes ?? 0) + utf8Length(content);
  return { bytes, message: Object.freeze({ role, content }), before: context };
}

/**
 * The messages for the next proposal: the beginning (system, first task) always, then as many of the newest
 * entries as fit `bytesMax` UTF-8 bytes, oldest first. Its cost is bounded by the budget, not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  const newest: Message[] = [];
  const least = (context?.bytes ?? 0) - bytesMax;
  for (let entry = context; entry !== undefined; entry = entry.before) {
    if ((entry.before?.bytes ?? 0) < least) break;
    newest.push(entry.message);
  }
  for (const message of opening.toReversed()) newest.push(message);
  // turned around where it is: it may have a thousand messages, at every step
  return newest.reverse();
}
