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
    const values = fc.array(value, { minLength: 6, maxLength: 6 });
    const dice = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
    fc.assert(
      // a schema is made and widened once for several values
      fc.property(schema, values, dice, (given, all, rolled) => {
        if (typeof given === 'boolean' || !lint(given).ok) return;
        const good = all.filter((of) => isValid(given as JsonObject, of));
        if (good.length === 0) return;
        tried += good.length;
        const wide = widened(given as JsonObject);
        let at = 0;
        const placed = good.flatMap((of) => [of, withHandles(of as JsonValue, () => rolled[at++ % 8] === true)]);
        for (const each of [HELD, ...placed]) if (!isValid(wide, each)) expect.fail(JSON.stringify([wide, each]));
      }),
      { numRuns: caseCount(320) },
    );
    expect(tried).toBeGreaterThan(caseCount(320));
  }, 60_000);

  test('is a schema that can be registered', () => {
    fc.assert(
      fc.property(schema, (given) => {
        if (typeof given === 'boolean' || !lint(given).ok) return;
        must(lint(widened(given as JsonObject)));
      }),
      { numRuns: caseCount(300) },
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
    // references that multiply are just bearable, and with handles they are not
    const level = (n: number) => (n === 10 ? {} : { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/a${n + 1}` })) });
    const $defs = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`a${n}`, level(n)]));
    must(lint({ $ref: '#/$defs/a0', $defs }));
    expect(widened({ $ref: '#/$defs/a0', $defs })).toEqual({ type: 'object' });
  });
});
