/** What the model has seen, newest first: a list that is only ever extended, so a step copies nothing. */
export interface ContextEntry {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  readonly before: Context;
}
export type Context = ContextEntry | undefined;

export function remember(context: Context, role: ContextEntry['role'], text: string): Context {
  return { role, text, before: context };
}

export interface Message {
  readonly role: ContextEntry['role'];
  readonly content: string;
}

/**
 * The messages for the next proposal: the beginning (system, first task) always, then as many of the newest
 * entries as fit `bytesMax` UTF-16 units, oldest first. Its cost is bounded by the budget, not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  const newest: Message[] = [];
  let left = bytesMax;
  for (let entry = context; entry !== undefined; entry = entry.before) {
    left -= entry.text.length;
    if (left < 0) break;
    newest.push({ role: entry.role, content: entry.text });
  }
  return [...opening, ...newest.reverse()];
}
