import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, lint } from '../../../core/index.ts';
import { bothOf } from '../../../core/schema/both.ts';
import { caseCount } from '../../cases.ts';
import { schema, value } from './arbitrary.ts';
import { isValid } from './reference.ts';

const objects = schema.filter((one): one is JsonObject => isObject(one) && lint(one).ok);

describe('bothOf two schemas', () => {
  test('bothOf two schemas accepts a value exactly when each schema accepts it', () => {
    fc.assert(
      fc.property(objects, objects, fc.array(value, { minLength: 1, maxLength: 8 }), (first, second, values) => {
        const both = bothOf(first, second);
        for (const one of values) expect(isValid(both, one)).toBe(isValid(first, one) && isValid(second, one));
      }),
      { numRuns: caseCount(1_000) },
    );
  });

  test('bothOf can be registered and nested, and keeps each reference within its own schema', () => {
    const author = (limit: number) => ({
      $id: 'https://schemas.example/amount',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: {
        amount: { type: 'number', maximum: limit },
        list: { type: 'array', items: { $ref: '#item' } },
        item: { $anchor: 'item', anyOf: [{ $ref: '#/$defs/amount' }, { $ref: '#/$defs/list' }] },
      },
      properties: { amount: { $ref: '#item' }, again: { $ref: '#' } },
      required: ['amount'],
    });
    const both = bothOf(bothOf(author(9), author(7)), author(8));
    expect(lint(both)).toMatchObject({ ok: true });
    for (const limit of [6, 7, 8, 9]) {
      for (const one of [{ amount: limit }, { amount: [[limit]] }, { amount: 1, again: { amount: limit } }]) {
        expect(isValid(both, one)).toBe(limit <= 7);
      }
    }
    expect(isValid(both, { amount: 1, again: {} })).toBe(false);
  });

  test('bothOf leaves data unchanged that resembles a schema', () => {
    const data = { $ref: '#/x', $id: 'y' };
    const both = bothOf({ enum: [data] }, { properties: { $ref: { const: '#/x' }, $id: true } });
    expect(isValid(both, data)).toBe(true);
    expect(isValid(both, { ...data, $ref: '#/allOf/0/x' })).toBe(false);
  });
});
