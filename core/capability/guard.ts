/** What a call can do to the world; decides write-ahead, the guard and what a person is asked. */
export type Effect = 'pure' | 'read' | 'write' | 'egress';

/** What the run's context holds, tracked by the run and never guessed from text. */
export type Label = 'private' | 'untrusted';

/** What a person has to do with a call because of what the model has read before it. */
export type Guard = 'clear' | 'person' | 'this_call';

/**
 * The trifecta guard: text from outside may be an instruction to the model, so once untrusted content is in the
 * context a call that changes or sends something needs a person; once private content is there too, a call that
 * sends needs a person's yes to that very call, and no standing permission will do.
 */
export function guard(effect: Effect, labels: ReadonlySet<Label>): Guard {
  if ((effect !== 'write' && effect !== 'egress') || !labels.has('untrusted')) return 'clear';
  return effect === 'egress' && labels.has('private') ? 'this_call' : 'person';
}

/** What is not said is assumed to be the worst: what is read is private and untrusted, what comes from outside untrusted. */
export function defaultLabels(effect: Effect): readonly Label[] {
  if (effect === 'read') return ['private', 'untrusted'];
  return effect === 'egress' ? ['untrusted'] : [];
}

/** Labels only ever accumulate: whatever the model makes after reading something may be made of it. */
export function withLabels(labels: ReadonlySet<Label>, more: readonly Label[]): ReadonlySet<Label> {
  return more.every((label) => labels.has(label)) ? labels : new Set([...labels, ...more].sort());
}
