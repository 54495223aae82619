/** True in `npm test`, which leaves to other runs what it asks elsewhere. */
export const IS_SHORT: boolean = import.meta.env.SALLYPORT_CASES === 'quarter';

const SHARE = IS_SHORT ? 4 : 1;

/**
 * Number of generated cases that a test tries. `caseCount(2_000)` is 500 in `npm test`, and 2,000 in every other run:
 * `npm run test:long`, `npm test -- PATH`, `npx vitest`.
 */
export function caseCount(all: number): number {
  return Math.ceil(all / SHARE);
}

/**
 * How many acts lie between two stops that a test of each stop tries: eight in `npm test`, where the suites of Node stop
 * the same store over files in memory, and one in every other run.
 */
export const BETWEEN_STOPS: number = IS_SHORT ? 8 : 1;

/** True when this run tries the `nth` case of a test that enumerates its cases: each fourth in `npm test`. */
export function isTried(nth: number): boolean {
  return nth % SHARE === 0;
}
