import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/value.ts';
import { releaseBits } from '../../../core/schema/release.ts';

const closed = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('the bits that a value of a schema tells at most', () => {
  it.each<readonly [string, JsonObject, number]>([
    ['a boolean', { type: 'boolean', description: 'Is it urgent?' }, 2],
    ['one value', { const: 'done' }, 1],
    ['no member', closed({}), 1],
    ['three values', { enum: ['a', 'b', 'c'] }, 2],
    ['four values', { enum: ['a', 'b', 'c', 'd'] }, 3],
    ['values that are listed twice', { enum: [1, 1.0, -0, 0, '1', null, null] }, 3],
    ['values of the type alone', { type: 'string', enum: ['a', 1, 2, 3, 4, 5] }, 1],
    ['an integer', { type: 'integer', minimum: 0, maximum: 6 }, 3],
    ['an integer more', { type: 'integer', minimum: 0, maximum: 7 }, 4],
    ['an integer between fractions', { type: 'integer', minimum: -0.5, maximum: 1.5 }, 2],
    ['integers of 53 bits', { type: 'integer', minimum: 1, maximum: 2 ** 53 }, 54],
    ['a date', { type: 'string', format: 'date' }, 22],
    ['two booleans', closed({ a: { type: 'boolean' }, b: { type: 'boolean' } }), 3],
    ['an optional boolean', closed({ a: { type: 'boolean' } }, []), 2],
    ['an object in an object', closed({ a: closed({ b: { enum: [1, 2, 3] } }, []) }, []), 3],
    [
      'the most',
      closed({ a: { type: 'string', format: 'date' }, b: { type: 'integer', minimum: 1, maximum: 2 ** 42 } }),
      64,
    ],
    ['a named member of every object', closed({ constructor: { type: 'boolean' } }), 2],
  ])('are counted for %s', (_, schema, bits) => {
    expect(releaseBits(schema)).toBe(bits);
  });

  it.each<readonly [string, JsonObject]>([
    ['any value', {}],
    ['text', { type: 'string' }],
    ['text of a length', { type: 'string', maxLength: 1 }],
    ['text of a pattern', { type: 'string', pattern: '^[ab]$' }],
    ['another format', { type: 'string', format: 'uuid' }],
    ['a format without a type', { format: 'date' }],
    ['a date with a pattern', { type: 'string', format: 'date', pattern: '^2' }],
    ['a number', { type: 'number', minimum: 0, maximum: 1 }],
    ['an integer without an end', { type: 'integer', minimum: 0 }],
    ['an integer with another end', { type: 'integer', minimum: 0, exclusiveMaximum: 3 }],
    ['a multiple', { type: 'integer', minimum: 0, maximum: 8, multipleOf: 2 }],
    ['no integer', { type: 'integer', minimum: 0.2, maximum: 0.8 }],
    ['no value of the type', { type: 'string', enum: [1] }],
    ['a list of values', { enum: [[1], [2]] }],
    ['a constant object', { const: {} }],
    ['a value of two types', { type: ['boolean', 'null'] }],
    ['alternatives', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'boolean' } } }],
    ['an open object', { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] }],
    ['an object with any member', { ...closed({ a: { type: 'boolean' } }), additionalProperties: { type: 'boolean' } }],
    ['an object with a text', closed({ a: { type: 'string' } })],
    ['an object without a value', closed({}, ['a'])],
    ['a member of every object', closed({}, ['constructor'])],
    ['a list', { type: 'array', items: { type: 'boolean' }, maxItems: 2 }],
    ['a boolean and more', { type: 'boolean', not: { const: true } }],
    [
      '65 bits',
      closed({ a: { type: 'string', format: 'date' }, b: { type: 'integer', minimum: 1, maximum: 2 ** 43 } }),
    ],
    ['a number beyond every bit', { type: 'integer', minimum: -1e300, maximum: 1e300 }],
  ])('are not known for %s', (_, schema) => {
    expect(releaseBits(schema)).toBeUndefined();
  });
});
