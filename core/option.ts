import { OPTION_CODES, refuse } from './errors/option.ts';
import type { DetailsOf } from './errors.ts';
import { isObject, pointerTo } from './json/value.ts';
import type { Refused } from './outcome.ts';
import { SallyportError } from './sallyport-error.ts';

/** What an option has to be: in words, and as a test. */
export type Kind = readonly [wants: string, is: (value: unknown) => boolean];
export type Kinds = { readonly [name: string]: Kind };

export const COUNT: Kind = [
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
];
/** Without lone surrogates: what cannot be written as UTF-8 cannot be hashed. */
export const TEXT: Kind = ['well-formed text', (value) => typeof value === 'string' && value.isWellFormed()];
export const LIST: Kind = ['a list', Array.isArray];
export const OBJECT: Kind = ['an object', isObject];
export const CALLBACK: Kind = ['a function', (value) => typeof value === 'function'];
/** Of any realm. */
export const BYTES: Kind = ['a Uint8Array', (value) => Object.prototype.toString.call(value) === '[object Uint8Array]'];

export function oneOf(...words: readonly string[]): Kind {
  return [words.join(' or '), (value) => words.includes(value as string)];
}

/** As many of the names as are of one kind. */
export function each(names: readonly string[], kind: Kind): Kinds {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/**
 * The first option that is unknown, not of its kind, or needed and not there, as `option_invalid` with its name; one
 * that is `undefined` is not there. A limit that is misspelt would limit nothing: nothing is guessed.
 */
export function optionFault(given: object, kinds: Kinds, needed: readonly string[] = []): Refused | undefined {
  const wrong = firstWrong(given, kinds, needed);
  return wrong && refuse('option_invalid', wrong, { pointer: pointerTo('', wrong.name) });
}

/** Throws `option_invalid` unless these options of a program are of their kinds; it may have others, which nobody reads. */
export function assertKinds(given: object, kinds: Kinds, needed: readonly string[] = []): void {
  const known = Object.keys(kinds).map((name) => [name, given[name as keyof typeof given]]);
  const wrong = firstWrong(Object.fromEntries(known) as object, kinds, needed);
  const { what, todo } = OPTION_CODES.option_invalid;
  if (wrong) throw new SallyportError('option_invalid', `${what(wrong)}. ${todo}`, wrong);
}

type Wrong = DetailsOf['option_invalid'];

function firstWrong(given: object, kinds: Kinds, needed: readonly string[]): Wrong | undefined {
  const members = new Map<string, unknown>(Object.entries(given));
  for (const name of new Set([...members.keys(), ...needed])) {
    const value = members.get(name);
    if (value === undefined && !needed.includes(name)) continue;
    if (!Object.hasOwn(kinds, name)) return { name };
    const [wants, is] = kinds[name] as Kind;
    if (!is(value)) return { name, wants };
  }
  return undefined;
}
