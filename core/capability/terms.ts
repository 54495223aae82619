import { refuse } from '../errors/option.ts';
import { isObject, pointerTo } from '../json/value.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import type { GrantTerms } from './policy.ts';

type Test = (value: unknown) => boolean;

const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

const TERMS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['mode', (value) => value === 'allow' || value === 'ask' || value === 'deny'],
  ['where', isObject],
  ['uses', isCount],
  ['expires', isCount],
]);

/**
 * The terms of a grant as its author wrote them, or `option_invalid` with the member's name. A denial that is misspelled
 * would deny nothing, and a date that is a text would never come: nothing is guessed.
 */
export function checkTerms(given: object): Outcome<GrantTerms> {
  return lacking(given, TERMS) ?? (Object.hasOwn(given, 'mode') ? pass(given as GrantTerms) : invalid('mode'));
}

const STANDING: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['args', (value) => value === 'exact' || value === 'any'],
  ['uses', isCount],
]);

/** How far a person's yes goes beyond the call they were asked about; as `checkTerms`. */
export function checkStanding(given: unknown): Outcome<unknown> {
  if (!isObject(given)) return invalid('standing');
  return lacking(given, STANDING) ?? (Object.hasOwn(given, 'args') ? pass(given) : invalid('args'));
}

/** The first member that is unknown or has no value of its kind; one that is `undefined` is not there. */
function lacking(given: object, tests: ReadonlyMap<string, Test>): Refused | undefined {
  const wrong = Object.entries(given).find(([name, value]) => value !== undefined && tests.get(name)?.(value) !== true);
  return wrong === undefined ? undefined : invalid(wrong[0]);
}

function invalid(name: string): Refused {
  return refuse('option_invalid', { name }, { pointer: pointerTo('', name) });
}
