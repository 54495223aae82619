import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText, type JsonValue } from '../../../core/index.ts';
import { OPERATIONS } from '../../../core/schema/operations.ts';
import { caseCount } from '../../cases.ts';

const values = fc.constantFrom<JsonValue>(
  null,
  true,
  0,
  -0,
  1,
  '1',
  '',
  'null',
  '[]',
  [],
  [1],
  {},
  { a: 1, b: 2 },
  { b: 2, a: 1 },
);

/** The first equal pair by canonical text, as the specification defines it. */
function first(items: readonly JsonValue[]): readonly [number, number] | null {
  const texts = items.map((item) => canonicalText(item));
  const at = texts.findIndex((text, place) => texts.indexOf(text) < place);
  return at < 0 ? null : [texts.indexOf(texts[at] as string), at];
}

test('the first two equal items of any array are found, in short and long arrays of plain and nested items', () => {
  const found = { few: 0, many: 0 };
  fc.assert(
    fc.property(fc.array(values, { maxLength: 14 }), (items) => {
      const pair = OPERATIONS.duplicate(items);
      expect(pair).toEqual(first(items));
      if (pair !== null) found[items.length > 8 ? 'many' : 'few']++;
    }),
    { numRuns: caseCount(500) },
  );
  expect(Math.min(found.few, found.many)).toBeGreaterThan(20);
});
