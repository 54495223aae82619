import { isList, isObject, type JsonValue, pointerTo } from '../json/value.ts';

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

/** The joined labels, sorted. */
export function joined(...lists: readonly (readonly Label[])[]): readonly Label[] {
  return LABELS.filter((label) => lists.some((list) => list.includes(label)));
}

/** Which results a term holds: all, or those that can bring data with the label. */
export type Held = true | Label;
/** Which results a runtime holds. */
export type Hold = 'all' | Label;

/** A place of the arguments of a use, with the labels of what it carries. */
export interface LabelledPlace {
  /** JSON pointer; empty for the arguments as a whole. */
  readonly pointer: string;
  readonly labels: readonly Label[];
  /** Handle whose value stands there, for a person who is asked; no decision reads it. */
  readonly handle?: string;
}

/** Places of the scalars and the empty lists and objects of a value, and the place that the use is made at all. */
export function allPlaces(value: JsonValue, labels: readonly Label[]): readonly LabelledPlace[] {
  const pointers = new Set(['']);
  const walk = (each: JsonValue, pointer: string): void => {
    const below = isList(each) ? [...each.entries()] : isObject(each) ? Object.entries(each) : [];
    if (below.length === 0) pointers.add(pointer);
    for (const [name, inner] of below) walk(inner, pointerTo(pointer, name));
  };
  walk(value, '');
  return [...pointers].map((pointer) => ({ pointer, labels }));
}

/** Labels that a grant accepts, by the pattern of a place; see `AuthorTerms.accepts`. */
export type Accepts = { readonly [place: string]: readonly Label[] };

/** The labels of a place that a grant does not accept there. */
export function unaccepted(
  { accepts = {} }: { readonly accepts?: Accepts },
  { pointer, labels }: LabelledPlace,
): readonly Label[] {
  const taken = new Set(Object.entries(accepts).flatMap(([key, given]) => (covers(key, pointer) ? given : [])));
  return labels.filter((label) => !taken.has(label));
}

/** True for a pattern that covers the place: itself, or above it. The empty pattern covers no place but its own. */
export function covers(pattern: string, pointer: string): boolean {
  if (pattern === '' || pointer === '') return pattern === pointer;
  const [keys, tokens] = [pattern.split('/'), pointer.split('/')];
  return keys.length <= tokens.length && keys.every((key, at) => key === '*' || key === tokens[at]);
}
