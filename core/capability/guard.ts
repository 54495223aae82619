/** Effect of a call on the world. It decides write-ahead, the guard, and the question to a person. */
export type Effect = 'pure' | 'read' | 'write' | 'egress';

/** Kind of data in the run's context. The run tracks labels and never guesses them from text. */
export type Label = 'private' | 'untrusted';

export const LABELS: readonly Label[] = ['private', 'untrusted'];

/** Approval that a call needs because of the content that the model has read before it. */
export type Guard = 'clear' | 'person' | 'this_call';

/**
 * The trifecta guard: text from outside may be an instruction to the model, so once untrusted content is in the context
 * a call with the effect `write` or `egress` needs a person; once private content is there too, a call that sends needs
 * a person's yes to that very call, and no standing permission will do.
 */
export function guard(effect: Effect, labels: ReadonlySet<Label>): Guard {
  if ((effect !== 'write' && effect !== 'egress') || !labels.has('untrusted')) return 'clear';
  return effect === 'egress' && labels.has('private') ? 'this_call' : 'person';
}

/**
 * Labels of an effect that names none itself, at their worst: `read` gives private and untrusted data, `egress`
 * untrusted data.
 */
export function defaultLabels(effect: Effect): readonly Label[] {
  if (effect === 'read') return ['private', 'untrusted'];
  return effect === 'egress' ? ['untrusted'] : [];
}

/**
 * Adds labels; labels only accumulate. Text that the model writes after reading content may be made of that content.
 */
export function withLabels(labels: ReadonlySet<Label>, more: readonly Label[]): ReadonlySet<Label> {
  return more.every((label) => labels.has(label)) ? labels : new Set([...labels, ...more].sort());
}
