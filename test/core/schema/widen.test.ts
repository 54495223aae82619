import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import { lint } from '../../../core/schema/lint.ts';
import { widened } from '../../../core/schema/widen.ts';
import { caseCount } from '../../cases.ts';
import { checker } from '../schemas.ts';
import { must } from '../validator.ts';
import { schema, value } from './arbitrary.ts';
import { isValid } from './reference.ts';

const HELD = { $held: 'h3' };

/** The value with a handle in the place of each part that the dice name. */
function withHandles(of: JsonValue, dice: () => boolean): JsonValue {
  if (dice()) return HELD;
  if (Array.isArray(of)) return (of as readonly JsonValue[]).map((each) => withHandles(each, dice));
  if (typeof of !== 'object' || of === null) return of;
  return Object.fromEntries(Object.entries(of).map(([name, each]) => [name, withHandles(each, dice)]));
}

describe('a widened schema', () => {
  test('accepts what the schema accepts, with a handle in any of its places', () => {
    let tried = 0;
    fc.assert(
      fc.property(schema, value, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (given, of, dice) => {
        if (typeof given === 'boolean' || !lint(given).ok || !isValid(given as JsonObject, of)) return;
        tried++;
        const wide = widened(given as JsonObject);
        let at = 0;
        for (const placed of [of, HELD, withHandles(of as JsonValue, () => dice[at++ % dice.length] === true)])
          expect([isValid(wide, placed), placed]).toEqual([true, placed]);
      }),
      { numRuns: caseCount(2_000) },
    );
    expect(tried).toBeGreaterThan(100);
  }, 60_000);

  test('is a schema that can be registered', () => {
    fc.assert(
      fc.property(schema, (given) => {
        if (typeof given === 'boolean' || !lint(given).ok) return;
        must(lint(widened(given as JsonObject)));
      }),
      { numRuns: caseCount(500) },
    );
  });

  test('still refuses what is wrong with the message itself', () => {
    const wide = widened({
      type: 'object',
      properties: {
        to: { type: 'string', maxLength: 3 },
        n: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['to'],
      additionalProperties: false,
    });
    for (const good of [
      { to: 'ann' },
      { to: HELD },
      { to: { $held: 'h12.0', at: '/0/to' }, tags: ['a', HELD], n: HELD },
    ])
      expect(checker(wide)(good)).toEqual([]);
    for (const bad of [
      {},
      { to: 'anna' },
      { to: 'a', n: 'x' },
      { to: 'a', more: HELD },
      { to: { $held: 'x' } },
      { to: 'a', tags: [1] },
    ])
      expect(checker(wide)(bad)).not.toEqual([]);
  });

  test('leaves the alternatives that a handle may match to the second check', () => {
    const wide = widened({
      type: 'object',
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      oneOf: [{ properties: { a: { type: 'string' } } }, { properties: { a: { type: 'number' } } }],
      properties: { a: { enum: ['x', { y: 1 }] } },
    });
    expect(checker(wide)({ a: HELD })).toEqual([]);
    expect(checker(wide)({})).not.toEqual([]);
  });

  test('accepts every object where the schema is too large to be widened', () => {
    const deep = Array.from({ length: 31 }, () => 0).reduce<JsonObject>(
      (inner) => ({ type: 'object', properties: { a: inner } }),
      {},
    );
    must(lint(widened(deep)));
    const large = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`p${n}`, { type: 'string' }])),
    };
    expect(widened(large)).toEqual({ type: 'object' });
  });
});
