export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What the model has seen, newest first: a list that is only ever extended, so a step copies nothing. */
export interface ContextEntry {
  /** Frozen: it is handed out with every request, to models of anybody. */
  readonly message: Message;
  readonly before: Context;
}
export type Context = ContextEntry | undefined;

export function remember(context: Context, role: Message['role'], content: string): Context {
  return { message: Object.freeze({ role, content }), before: context };
}

/**
 * The messages for the next proposal: the beginning (system, first task) always, then as many of the newest
 * entries as fit `bytesMax` UTF-16 units, oldest first. Its cost is bounded by the budget, not by the run's length.
 */
export function messages(context: Context, opening: readonly Message[], bytesMax: number): readonly Message[] {
  const newest: Message[] = [];
  let left = bytesMax;
  for (let entry = context; entry !== undefined; entry = entry.before) {
    left -= entry.message.content.length;
    if (left < 0) break;
    newest.push(entry.message);
  }
  return [...opening, ...newest.reverse()];
}
