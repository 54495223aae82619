import { refuse } from '../errors/option.ts';
import { isObject } from '../json/value.ts';
import { COUNT, OBJECT, type OptionTypes, oneOf, optionFault } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { type AuthorTerms, TERM_TYPES } from './grant-terms.ts';

/**
 * The terms of a grant as its author wrote them, or `option_invalid` with the member's name. Values are not guessed: a
 * misspelt denial would never deny, and a date given as a text would never come.
 */
export function checkTerms(given: object): Outcome<AuthorTerms> {
  return optionFault(given, TERM_TYPES, ['mode']) ?? pass(given as AuthorTerms);
}

const STANDING: OptionTypes = { args: oneOf('exact', 'any'), uses: COUNT };

/** Scope of a person's yes beyond the call in question; refuses as `checkTerms` does. */
export function checkStanding(given: unknown): Outcome<unknown> {
  if (!isObject(given)) return refuse('option_invalid', { name: 'standing', wants: OBJECT[0] });
  return optionFault(given, STANDING, ['args']) ?? pass(given);
}
