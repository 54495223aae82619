import type { DetailsOf } from './errors/details.ts';
import { OPTION_CODES, refuse } from './errors/option.ts';
import { isObject, pointerTo } from './json/value.ts';
import type { Refused } from './outcome.ts';
import { SallyportError } from './sallyport-error.ts';

/** What an option has to be: in words, and as a test. */
export type OptionType = readonly [wants: string, is: (value: unknown) => boolean];
export type OptionTypes = { readonly [name: string]: OptionType };

export const COUNT: OptionType = [
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
];
export const POSITIVE: OptionType = [
  'a whole number, 1 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
];
/** Without lone surrogates: what cannot be written as UTF-8 cannot be hashed. */
export const TEXT: OptionType = ['well-formed text', (value) => typeof value === 'string' && value.isWellFormed()];
export const LIST: OptionType = ['a list', Array.isArray];
export const OBJECT: OptionType = ['an object', isObject];
export const CALLBACK: OptionType = ['a function', (value) => typeof value === 'function'];
export const FLAG: OptionType = ['true or false', (value) => typeof value === 'boolean'];
export const SIGNAL: OptionType = ['an AbortSignal', (value) => 'addEventListener' in Object(value)];
/** Looked at by whoever it is for. */
export const ANY: OptionType = ['', () => true];
/** Of any realm. */
export const BYTES: OptionType = [
  'a Uint8Array',
  (value) => Object.prototype.toString.call(value) === '[object Uint8Array]',
];

export const STRING: OptionType = ['a string', (value) => typeof value === 'string'];

/** Throws `option_invalid` unless the argument of this name is of its kind. */
export function demand(name: string, value: unknown, [wants, is]: OptionType): void {
  if (!is(value)) throw misuse({ name, wants });
}

export function oneOf(...words: readonly string[]): OptionType {
  return [words.join(' or '), (value) => words.includes(value as string)];
}

/** As many of the names as are of one kind. */
export function each(names: readonly string[], kind: OptionType): OptionTypes {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/**
 * The first option that is unknown, not of its kind, or needed and not there, as `option_invalid` with its name; one
 * that is `undefined` is not there. A limit that is misspelt would limit nothing: nothing is guessed.
 */
export function optionFault(given: object, kinds: OptionTypes, needed: readonly string[] = []): Refused | undefined {
  const wrong = firstWrong(own(Object(given) as object, kinds), kinds, needed, true);
  return wrong && refuse('option_invalid', wrong, { pointer: pointerTo('', wrong.name) });
}

/** The options of a public function, its own members only; throws `option_invalid` where one is as `optionFault` says. */
export function optionsOf<T extends object>(
  given: T | undefined,
  kinds: OptionTypes,
  needed: readonly string[] = [],
): T {
  const options = own(Object(given) as object, kinds);
  must(firstWrong(options, kinds, needed, true));
  return options as T;
}

/**
 * Throws `option_invalid` unless what a program hands in is of these kinds; it may have more, which nobody reads. `of`
 * is the option that it is, so that the message names `model.id` and not an `id` of nothing.
 */
export function assertKinds(given: object, kinds: OptionTypes, needed: readonly string[] = [], of?: string): void {
  const wrong = firstWrong(given as Options, kinds, needed);
  must(wrong && (of === undefined ? wrong : { ...wrong, name: `${of}.${wrong.name}` }));
}

type Options = { readonly [name: string]: unknown };
type Wrong = DetailsOf['option_invalid'];

/** What is given, by a class too, as an `AbortController` is `{signal}`; what a polluted prototype lends is no option. */
function own(given: object, kinds: OptionTypes): Options {
  const options: { [name: string]: unknown } = { __proto__: null, ...given };
  for (const name in kinds) if (name in given && !(name in Object.prototype)) options[name] = (given as Options)[name];
  return options;
}

function must(wrong: Wrong | undefined): void {
  if (wrong !== undefined) throw misuse(wrong);
}

function misuse(wrong: Wrong): SallyportError {
  const { what, todo } = OPTION_CODES.option_invalid;
  return new SallyportError('option_invalid', `${what(wrong)}. ${todo}`, wrong);
}

/** Asked of every file and of every call: it makes nothing. */
function firstWrong(
  options: Options,
  kinds: OptionTypes,
  needed: readonly string[],
  isClosed?: boolean,
): Wrong | undefined {
  if (isClosed)
    for (const name in options) if (options[name] !== undefined && !Object.hasOwn(kinds, name)) return { name };
  for (const name of Object.keys(kinds)) {
    const [wants, is] = kinds[name] as OptionType;
    const value = options[name];
    if (value === undefined ? needed.includes(name) : !is(value)) return { name, wants };
  }
  return undefined;
}
