import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lint } from '../../../core/index.ts';
import { patternFault } from '../../../core/schema/pattern.ts';
import { caseCount } from '../../cases.ts';
import { evaluating, schema, value } from './arbitrary.ts';
import { type Check, precompile } from './precompiled.ts';
import { realmChecks } from './realm.ts';
import { validity } from './reference.ts';

/** Compiling each schema alone would take most of the time, so schemas are drawn first and compiled together. */
const SEED = 20_261_121;
const values = fc.sample(value, { numRuns: 40, seed: SEED });
const accepted = (from: fc.Arbitrary<unknown>, count: number): unknown[] =>
  fc.sample(from, { numRuns: count, seed: SEED }).filter((one) => lint(one).ok);

/** Whether each value is valid by each validator. */
const verdictsOf = (checks: readonly Check[]): boolean[][] =>
  checks.map((check) => values.map((one) => check(one).length === 0));

function disagreement(schemas: readonly unknown[], verdicts: readonly boolean[][]): unknown {
  for (const [at, one] of schemas.entries()) {
    const isValid = validity(one);
    const wrong = values.find((candidate, nth) => verdicts[at]?.[nth] !== isValid(candidate));
    if (wrong !== undefined) return { schema: JSON.stringify(one), value: JSON.stringify(wrong) };
  }
  return undefined;
}

describe('generated validators', () => {
  it.each([
    ['of the whole vocabulary', schema],
    ['of keywords that decide about unevaluated members', evaluating],
  ])(
    'generated validators %s agree with a plain reading of the specification',
    async (_, from) => {
      const schemas = accepted(from, caseCount(1500));
      expect(schemas.length).toBeGreaterThan(caseCount(800));
      const verdicts = verdictsOf(await precompile(schemas));
      expect(disagreement(schemas, verdicts)).toBe(undefined);
      const yes = verdicts.flat().filter(Boolean).length / verdicts.flat().length;
      expect(yes).toBeGreaterThan(0.2);
      expect(yes).toBeLessThan(0.8);
    },
    120_000,
  );

  it('generated validators have the same issues in the realm', async () => {
    const schemas = accepted(schema, caseCount(120));
    const [outside, inside] = [await precompile(schemas), await realmChecks(schemas)];
    for (const [at] of schemas.entries()) {
      for (const one of values) expect(inside[at]?.(JSON.stringify(one))).toEqual(outside[at]?.(one));
    }
  }, 120_000);
});

describe('the linter', () => {
  it('the linter gives an outcome for any value, and never throws', () => {
    const any = fc.oneof(fc.anything({ withBigInt: true, withSparseArray: true, withNullPrototype: true }), schema);
    fc.assert(
      fc.property(any, (one) => typeof lint(one).ok === 'boolean'),
      { numRuns: caseCount(2000) },
    );
  });

  it('the linter accepts its own output and leaves it unchanged', () => {
    fc.assert(
      fc.property(schema, (one) => {
        const first = lint(one);
        if (!first.ok) return;
        const second = lint(first.value.plain);
        expect(second.ok && second.value.plain).toEqual(first.value.plain);
      }),
    );
  });
});

describe('a pattern', () => {
  const characters = 'a b 0 1 ( ) [ ] { } * + ? | \\ ^ $ . , - / = ! < > :';
  const pieces = String.raw`\d \b \B (?: (?= (?<n> (?<! \k<n> {1} {2,1} \p{L} \p{sc=Greek} \P{Any} \cA \c \0 \1 \2 \- 😀`;
  const escapes = String.raw`\u0041 \u{41} \ud83d\ude00 \ud83d \x41 \u{110000}`;
  const part = fc.constantFrom(...`${characters} ${pieces} ${escapes}`.split(' '));

  it('patternFault accepts a pattern exactly when the engine compiles it', () => {
    const text = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (source) => (patternFault(source) === undefined) === compiles(source)),
      { numRuns: caseCount(20_000) },
    );
  });
});

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode;
  } catch {
    return false;
  }
}
