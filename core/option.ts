import { refuse } from './errors/option.ts';
import { isObject, pointerTo } from './json/value.ts';
import type { Refused } from './outcome.ts';
import { refusalError } from './sallyport-error.ts';

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
  const members = new Map<string, unknown>(Object.entries(given));
  for (const name of new Set([...members.keys(), ...needed])) {
    const value = members.get(name);
    const fault = value === undefined && !needed.includes(name) ? undefined : faultOf(name, value, kinds);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(name: string, value: unknown, kinds: Kinds): Refused | undefined {
  const pointer = pointerTo('', name);
  if (!Object.hasOwn(kinds, name)) return refuse('option_invalid', { name }, { pointer });
  const [wants, is] = kinds[name] as Kind;
  return is(value) ? undefined : refuse('option_invalid', { name, wants }, { pointer });
}

/** Throws `option_invalid` unless these options of a program are of their kinds; it may have others, which nobody reads. */
export function assertKinds(given: object, kinds: Kinds, needed: readonly string[] = []): void {
  const known = Object.keys(kinds).map((name) => [name, given[name as keyof typeof given]]);
  const fault = optionFault(Object.fromEntries(known) as object, kinds, needed);
  if (fault !== undefined) throw refusalError(fault.refusal);
}
