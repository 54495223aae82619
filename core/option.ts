import { OPTION_CODES, refuse } from './errors/option.ts';
import type { DetailsOf } from './errors.ts';
import { isCount, isObject, pointerTo } from './json/value.ts';
import type { Refused } from './outcome.ts';
import { SallyportError } from './sallyport-error.ts';

/** Required type of an option: its description and its test. */
export type OptionType = readonly [wants: string, is: (value: unknown) => boolean];
export type OptionTypes = { readonly [name: string]: OptionType };

export const COUNT: OptionType = ['a whole number, 0 or more', isCount];
export const POSITIVE: OptionType = ['a whole number, 1 or more', (value) => isCount(value) && value >= 1];
/** A string without lone surrogates: a text must be encodable as UTF-8 to be hashed. */
export const TEXT: OptionType = ['well-formed text', (value) => typeof value === 'string' && value.isWellFormed()];
export const LIST: OptionType = ['a list', Array.isArray];
export const OBJECT: OptionType = ['an object', isObject];
export const CALLBACK: OptionType = ['a function', (value) => typeof value === 'function'];
export const FLAG: OptionType = ['true or false', (value) => typeof value === 'boolean'];
export const SIGNAL: OptionType = ['an AbortSignal', (value) => 'addEventListener' in Object(value)];
/** Checked by its consumer. */
export const ANY: OptionType = ['', () => true];
/** A `Uint8Array` of any realm. */
export const BYTES: OptionType = [
  'a Uint8Array',
  (value) => Object.prototype.toString.call(value) === '[object Uint8Array]',
];

export const STRING: OptionType = ['a string', (value) => typeof value === 'string'];

/** Throws `option_invalid` unless the argument of this name has its type. */
export function demand(name: string, value: unknown, [wants, is]: OptionType): void {
  if (!is(value)) throw misuse({ name, wants });
}

/** One of these words: `allow, ask or deny`. */
export function oneOf(...words: readonly string[]): OptionType {
  const wants = words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  return [wants, (value) => words.includes(value as string)];
}

/** The option types of names that share a type. */
export function each(names: readonly string[], kind: OptionType): OptionTypes {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/**
 * Refuses, as `option_invalid` with its name, the first option that is unknown, has the wrong type, or is needed and
 * absent. An option that is `undefined` is absent. Names are not guessed: a misspelt limit would not limit.
 */
export function optionFault(given: object, kinds: OptionTypes, needed: readonly string[] = []): Refused | undefined {
  const wrong = wrongOption(given, kinds, needed);
  return wrong && refuse('option_invalid', wrong, { pointer: pointerTo('', wrong.name) });
}

/** The first option that is unknown, has the wrong type, or is needed and absent; of an unknown option the known names. */
export function wrongOption(given: object, kinds: OptionTypes, needed: readonly string[] = []): Wrong | undefined {
  return firstWrong(own(Object(given) as object, kinds), kinds, needed, true);
}

/** The options of a public function, own members only; throws `option_invalid` by the rules of `optionFault`. */
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
 * Throws `option_invalid` unless the members of a program's object have these types. Further members are allowed and
 * not read. `of` is the name of the option that holds the object, so that the message names `model.id` instead of `id`.
 */
export function assertKinds(given: object, kinds: OptionTypes, needed: readonly string[] = [], of?: string): void {
  const wrong = firstWrong(given as Options, kinds, needed);
  must(wrong && (of === undefined ? wrong : { ...wrong, name: `${of}.${wrong.name}` }));
}

type Options = { readonly [name: string]: unknown };
type Wrong = DetailsOf['option_invalid'];

/**
 * The given options, members of a class included: an `AbortController` is `{signal}`. A member of a polluted
 * `Object.prototype` is not an option.
 */
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

/** The first wrong option. It runs for every file and every call, so it allocates no memory. */
function firstWrong(
  options: Options,
  kinds: OptionTypes,
  needed: readonly string[],
  isClosed?: boolean,
): Wrong | undefined {
  if (isClosed)
    for (const name in options)
      if (options[name] !== undefined && !Object.hasOwn(kinds, name)) return { name, known: Object.keys(kinds) };
  for (const name of Object.keys(kinds)) {
    const [wants, is] = kinds[name] as OptionType;
    const value = options[name];
    if (value === undefined ? needed.includes(name) : !is(value)) return { name, wants };
  }
  return undefined;
}
