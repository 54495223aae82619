import { beforeAll, describe, expect, it } from 'vitest';
import { type Check, precompile } from './precompiled.ts';
import { compiled } from './realm.ts';
import { isValid } from './reference.ts';

/**
 * A vector for each place in which ajv is patched (.scripts/generate-validators.mjs) or a keyword of ajv is replaced.
 */
const VECTORS: readonly (readonly [what: string, schema: unknown, value: unknown, valid: boolean])[] = [
  [
    'inherited names are not evaluated',
    { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { constructor: 1 },
    false,
  ],
  [
    'inherited names are not evaluated by merged branches',
    { allOf: [{ properties: { a: true } }, { patternProperties: { '^b': true } }], unevaluatedProperties: false },
    { toString: 1 },
    false,
  ],
  [
    'inherited names are not evaluated by added properties',
    { $ref: '#/$defs/a', properties: { b: true }, unevaluatedProperties: false, $defs: { a: { maxProperties: 9 } } },
    { constructor: 1 },
    false,
  ],
  [
    'names evaluated by another function do not include inherited names',
    { properties: { x: { $ref: '#', unevaluatedProperties: false } } },
    { x: { constructor: 1 } },
    false,
  ],
  [
    'patternProperties adds to a set that may be complete',
    { anyOf: [{ additionalProperties: true }], patternProperties: { '^a': true }, unevaluatedProperties: false },
    { a: 1, b: 1 },
    true,
  ],
  [
    'patternProperties adds to a set that may be empty',
    {
      $ref: '#/$defs/a',
      patternProperties: { '^a': true },
      unevaluatedProperties: false,
      $defs: { a: { maxProperties: 9 } },
    },
    { a: 1 },
    true,
  ],
  [
    'a failed branch evaluates no items',
    { anyOf: [true, { prefixItems: [false] }], unevaluatedItems: false },
    [1],
    false,
  ],
  ['a branch may evaluate all items', { anyOf: [{ items: true }], unevaluatedItems: false }, [1, 2, 3], true],
  [
    'a failed `if` evaluates no property',
    { if: { properties: { a: { const: 1 } } }, unevaluatedProperties: false },
    { a: 2 },
    false,
  ],
  [
    '`if` evaluates without then and else',
    { if: { properties: { a: { const: 1 } } }, unevaluatedProperties: false },
    { a: 1 },
    true,
  ],
  [
    '`else` stands alone',
    { if: false, else: { properties: { a: true } }, unevaluatedProperties: false },
    { a: 1 },
    true,
  ],
  [
    'keywords after prefixItems count inside `not`',
    { not: { prefixItems: [{ type: 'string' }], contains: { type: 'number' } } },
    [],
    true,
  ],
  [
    'keywords after prefixItems count inside `if`',
    { if: { prefixItems: [{ type: 'string' }], contains: { type: 'number' } }, then: false },
    [],
    true,
  ],
  [
    'contains forgets the array before',
    { additionalProperties: { contains: { type: 'number' } } },
    { a: [1], b: [] },
    false,
  ],
  [
    'branches forget the value before',
    { unevaluatedProperties: { anyOf: [{ unevaluatedProperties: false }, true], unevaluatedProperties: false } },
    { a: {}, b: { x: 1 } },
    false,
  ],
  [
    'a branch in a failed branch evaluates no property',
    { anyOf: [{ anyOf: [{ properties: { a: true } }], required: ['z'] }, true], unevaluatedProperties: false },
    { a: 1 },
    false,
  ],
  [
    'dependentSchemas leaves items of arrays alone',
    { anyOf: [{ dependentSchemas: { a: true }, prefixItems: [true] }], unevaluatedItems: false },
    [1],
    true,
  ],
  [
    'data is not searched for identifiers',
    { dependentSchemas: { valueOf: { const: { $id: '' } }, toString: { const: { $id: '' } } } },
    {},
    true,
  ],
  [
    'equal strings are found under every name',
    { items: { type: 'string' }, uniqueItems: true },
    ['__proto__', '__proto__'],
    false,
  ],
  ['decimal multiples are exact', { multipleOf: 0.1 }, 0.3, true],
  ['large multiples are exact', { multipleOf: 1 }, 1e22, true],
];

describe('patched places of ajv', () => {
  let checks: readonly Check[];
  beforeAll(async () => {
    checks = await precompile(VECTORS.map(([, schema]) => schema));
  });

  it.each(VECTORS.map((vector, at) => [...vector, at] as const))('%s', (_what, schema, value, valid, at) => {
    expect(isValid(schema, value)).toBe(valid);
    expect(checks[at]?.(value).length === 0).toBe(valid);
  });

  it('properties that a call has evaluated are forgotten by the next call', async () => {
    const schema = {
      properties: { n: { $ref: '#', unevaluatedProperties: false } },
      patternProperties: { '^x': true },
      anyOf: [{ patternProperties: { '^z': true } }],
    };
    const [check] = await precompile([schema]);
    const verdicts = [{ n: { x1: 1 } }, { n: { y: 1 } }, { n: { x1: 1 } }, { n: { y: 1 } }].map(
      (one) => check?.(one).length === 0,
    );
    expect(verdicts).toEqual([true, false, true, false]);
  });

  it('a chain of a hundred references is compiled without overflow of the guest stack', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`d${at}`, { properties: { n: { $ref: `#/$defs/d${at + 1}` } } }]),
    );
    expect((await compiled({ $ref: '#/$defs/d0', $defs: { ...$defs, d100: true } })).code).toContain('validate');
  });
});
