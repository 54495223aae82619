import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import { comparisonOf, predicateOf } from '../../../core/schema/predicate.ts';
import { linted, realmChecks } from './realm.ts';

const NAMES = ['a', 'b', 'constructor', 'valueOf', 'ä', '\u{1f600}', ''];

const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(0, -0, 1, 1.5, -1, 2 ** 53 - 1, 1e308, 5e-324, 1e21, null, true, false, '', 'a', 'ä'),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('a\u0308', '\u{1f600}', '{"a":1}', '1', 'null'),
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');
const limit = fc.constantFrom(-1, 0, -0, 0.5, 1, 2, 1e21, 2 ** 53 - 1);
const count = fc.constantFrom(0, 1, 2, 3);
const schema = fc.letrec<{ schema: JsonValue }>((tie) => {
  const keywords: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    const: value,
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    minimum: limit,
    maximum: limit,
    exclusiveMinimum: limit,
    exclusiveMaximum: limit,
    required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
    properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 3, noNullPrototype: true }),
    additionalProperties: tie('schema'),
    items: tie('schema'),
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    minProperties: count,
    maxProperties: count,
    anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    not: tie('schema'),
    allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    title: fc.constant('A note.'),
  };
  const single = Object.entries(keywords).map(([name, one]) => one.map((made) => ({ [name]: made })));
  const object = fc
    .array(fc.oneof(...single), { minLength: 1, maxLength: 2 })
    .map((parts): JsonValue => Object.assign({}, ...parts) as JsonObject);
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), object) };
}).schema;

const object = (made: JsonValue): made is JsonObject => typeof made === 'object';
const SCHEMAS = 160;
const VALUES = 40;

describe('a predicate', () => {
  it('a predicate accepts the same values as the validator in the schema realm', async () => {
    const schemas = fc.sample(schema.filter(object), { numRuns: SCHEMAS, seed: 20 });
    const checks = await realmChecks([...new Map(schemas.map((each) => [linted(each).hash, each])).values()]);
    const unique = [...new Map(schemas.map((each) => [linted(each).hash, each])).values()];
    let accepted = 0;
    for (const [at, each] of unique.entries()) {
      const own = [...constants(each), ...fc.sample(value, { numRuns: VALUES, seed: at })];
      for (const one of own) {
        const text = JSON.stringify(one);
        const said = comparisonOf(each as JsonObject)?.(JSON.parse(text) as JsonValue);
        expect(said, `${JSON.stringify(each)} of ${text}`).toBe(checks[at]?.(text).length === 0);
        accepted += Number(said);
      }
    }
    expect(accepted).toBeGreaterThan(SCHEMAS);
  });

  it.each<[string, JsonObject, JsonValue, boolean]>([
    ['-0 for 0', { const: 0 }, -0, true],
    ['members in another order', { const: { a: 1, b: [2] } }, { b: [2], a: 1 }, true],
    ['another array order', { const: [1, 2] }, [2, 1], false],
    ['a text for a number', { const: 1 }, '1', false],
    ['a composed for a decomposed letter', { const: 'ä' }, 'a\u0308', false],
    ['an inherited name for a member', { required: ['constructor'] }, {}, false],
    ['a member with an inherited name', { properties: { valueOf: { const: 1 } } }, { valueOf: 2 }, false],
    ['a whole number written with an exponent', { type: 'integer' }, 1e21, true],
    ['a text where only numbers have a range', { minimum: 5 }, 'a', true],
    ['a list for an object', { properties: { a: false } }, ['a'], true],
    ['the limit of an exclusive range', { exclusiveMaximum: 3 }, 3, false],
    ['a character beyond the basic plane as one', { maxLength: 1 }, '\u{1f600}', true],
    ['a member of no name', { properties: { a: true }, additionalProperties: false }, { b: 1 }, false],
    ['an inherited name as another member', { properties: {}, additionalProperties: false }, { constructor: 1 }, false],
    ['a value that two alternatives accept', { oneOf: [true, { minimum: 1 }] }, 2, false],
    ['a value that one of two schemas refuses', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, false],
  ])('a predicate decides on %s', (_what, each, one, meets) => {
    expect(comparisonOf(each)?.(one)).toBe(meets);
  });

  it.each<[string, JsonObject]>([
    ['a pattern', { properties: { a: { pattern: '^a' } } }],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: true } }],
    ['an alternative with a pattern', { anyOf: [{ const: 1 }, { pattern: 'a' }] }],
    ['a multiple', { allOf: [{ multipleOf: 2 }] }],
    ['other members beside patterns', { additionalProperties: false, patternProperties: { a: true } }],
    ['a list of items with a beginning', { prefixItems: [true], items: false }],
    ['more subschemas than a predicate may have', { anyOf: Array.from({ length: 300 }, () => ({ type: 'null' })) }],
    ['a format', { format: 'email' }],
    ['a keyword of no vocabulary', { maximumLength: 3 }],
  ])('%s leaves the decision to the schema realm', (_what, each) => {
    expect(comparisonOf(each)).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['a length', { maxLength: 3 }],
    ['other members', { additionalProperties: false }],
    ['an alternative', { anyOf: [{ const: 1 }] }],
  ])('%s leaves the decision on a constraint of a grant to the schema realm', (_what, each) => {
    expect(predicateOf(each)).toBeUndefined();
  });
});

/** Values that a schema names, so that constants are met as well. */
function constants(each: JsonValue): readonly JsonValue[] {
  if (typeof each !== 'object' || each === null) return [];
  return Object.entries(each).flatMap(([name, one]: [string, JsonValue]) => [
    ...(name === 'const' ? [one] : []),
    ...(name === 'enum' ? (one as readonly JsonValue[]) : []),
    ...(name === 'properties' ? [Object.fromEntries(Object.keys(one as object).map((key) => [key, 1]))] : []),
    ...constants(one),
  ]);
}
