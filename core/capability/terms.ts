import { refuse } from '../errors/option.ts';
import { isObject } from '../json/value.ts';
import { COUNT, OBJECT, type OptionTypes, oneOf, optionFault } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { GrantTerms } from './policy.ts';

const TERMS: OptionTypes = { mode: oneOf('allow', 'ask', 'deny'), where: OBJECT, uses: COUNT, expires: COUNT };

/**
 * The terms of a grant as its author wrote them, or `option_invalid` with the member's name. A denial that is misspelled
 * would deny nothing, and a date that is a text would never come: nothing is guessed.
 */
export function checkTerms(given: object): Outcome<GrantTerms> {
  return optionFault(given, TERMS, ['mode']) ?? pass(given as GrantTerms);
}

const STANDING: OptionTypes = { args: oneOf('exact', 'any'), uses: COUNT };

/** How far a person's yes goes beyond the call they were asked about; as `checkTerms`. */
export function checkStanding(given: unknown): Outcome<unknown> {
  if (!isObject(given)) return refuse('option_invalid', { name: 'standing', wants: OBJECT[0] });
  return optionFault(given, STANDING, ['args']) ?? pass(given);
}
