import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../core/index.ts';
import { sortedText } from '../../../core/json/canonical.ts';
import { CANONICAL_LIMITS } from '../../../core/limits.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('sortedText writes what canonicalize writes', () => {
  const written = (value: unknown): string | undefined => {
    try {
      return sortedText(value);
    } catch {
      return undefined;
    }
  };
  const expected = (value: unknown): string | undefined => {
    const outcome = canonicalize(value);
    return outcome.ok ? outcome.value : undefined;
  };

  test('sortedText writes any JSON as canonicalize does, whether or not its members are sorted', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = expected(value);
        expect(written(value)).toBe(text);
        expect(text === undefined || written(JSON.parse(text)) === text).toBe(true);
      }),
    );
  });

  test.each([
    ['half a surrogate pair', { a: '\ud800' }],
    ['half a surrogate pair in a name', { '\ud800': 1 }],
    ['undefined', { a: undefined }],
    ['a hole', { a: [1, , 2] }],
    ['no number', { a: Number.NaN }],
    ['a function', { a: () => 1 }],
    ['a date', { a: new Date(0) }],
    ['a large integer of another type', { a: 1n }],
    ['too many levels', nested(CANONICAL_LIMITS.depth + 1)],
    ['a method that answers for it', { toJSON: () => 1 }],
  ])('sortedText takes %s for a defect', (_, value) => {
    expect(expected(value)).toBeUndefined();
    expect(written(value)).toBeUndefined();
  });

  test.each([
    ['as many levels as are allowed', nested(CANONICAL_LIMITS.depth)],
    ['members named like an index', { 10: 1, 9: 2 }],
    ['a backslash before ud', { a: '\\ud800', b: '\\\\ud' }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['zeros, escapes and other scripts', { a: -0, b: '"\\\n\u007f\u2028', c: '\u20ac\ud83d\ude00' }],
  ])('sortedText writes %s', (_, value) => {
    expect(expected(value)).toBeDefined();
    expect(written(value)).toBe(expected(value));
  });
});
