import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importSchema, isObject, type JsonObject, lint } from '../../../core/index.ts';
import { closeObjects } from '../../../core/schema/close.ts';
import { caseCount } from '../../cases.ts';
import { evaluating, schema, value } from './arbitrary.ts';
import { validity } from './reference.ts';

const a = { type: 'object', properties: { a: {} } };
const b = { type: 'object', properties: { b: {} } };
const closed = { additionalProperties: false };
const whole = { unevaluatedProperties: false };

describe('closeObjects', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['closes an object that lists properties', a, { ...a, ...closed }],
    ['closes an object that lists no properties by an empty list', { properties: {} }, { properties: {}, ...closed }],
    ['leaves an object open that lists none', { type: 'object' }, { type: 'object' }],
    ['leaves an object open that says so', { ...a, additionalProperties: true }, { ...a, additionalProperties: true }],
    ['leaves a required property possible', { ...a, required: ['b'] }, { ...a, required: ['b'] }],
    [
      'closes objects inside objects',
      { items: { properties: { x: a } } },
      { items: { properties: { x: { ...a, ...closed } }, ...closed } },
    ],
    ['closes the parts of an allOf together', { allOf: [a, b] }, { allOf: [a, b], ...whole }],
    ['closes properties and parts together', { ...a, allOf: [b] }, { ...a, allOf: [b], ...whole }],
    [
      'leaves an allOf open that lists none',
      { allOf: [{ minProperties: 1 }, { type: 'object' }] },
      { allOf: [{ minProperties: 1 }, { type: 'object' }] },
    ],
    [
      'closes each alternative',
      { anyOf: [a, b, { type: 'object' }] },
      { anyOf: [{ ...a, ...closed }, { ...b, ...closed }, { type: 'object' }] },
    ],
    [
      'closes properties and alternatives together',
      { ...a, anyOf: [b, { required: ['a'] }] },
      { ...a, anyOf: [b, { required: ['a'] }], ...whole },
    ],
    ['closes alternatives that may overlap as a whole', { oneOf: [a, b] }, { oneOf: [a, b], ...whole }],
    [
      'leaves alternatives open that may overlap, one of them without a list',
      { oneOf: [a, { type: 'object' }] },
      { oneOf: [a, { type: 'object' }] },
    ],
    [
      'leaves an object open below alternatives that may overlap',
      { oneOf: [{ properties: { x: a } }, { required: ['x'] }] },
      { oneOf: [{ properties: { x: a } }, { required: ['x'] }] },
    ],
    [
      'closes alternatives of different types',
      { oneOf: [a, { type: 'null' }] },
      { oneOf: [{ ...a, ...closed }, { type: 'null' }] },
    ],
    ['leaves not and if as they are', { not: a, if: b }, { not: a, if: b }],
    ['closes then and else with the object', { ...a, if: {}, then: b }, { ...a, if: {}, then: b, ...whole }],
    ['leaves a counted contains as it is', { contains: a, maxContains: 1 }, { contains: a, maxContains: 1 }],
    [
      'closes a definition',
      { $ref: '#/$defs/a', $defs: { a } },
      { $ref: '#/$defs/a', $defs: { a: { ...a, ...closed } } },
    ],
    [
      'closes a definition where it is used if it is a part elsewhere',
      { properties: { x: { $ref: '#/$defs/a' }, y: { allOf: [{ $ref: '#/$defs/a' }, b] } }, $defs: { a } },
      {
        properties: { x: { $ref: '#/$defs/a', ...whole }, y: { allOf: [{ $ref: '#/$defs/a' }, b], ...whole } },
        $defs: { a },
        ...closed,
      },
    ],
  ])('closeObjects %s', (_, open, expected) => {
    expect(closeObjects(open)).toEqual(expected);
  });

  it('closeObjects closes alternatives that a constant tells apart', () => {
    const of = (kind: string): JsonObject => {
      return { type: 'object', properties: { kind: { const: kind }, x: a }, required: ['kind'] };
    };
    const made = closeObjects({ oneOf: [of('p'), of('q')] });
    const inner = { ...a, ...closed };
    const each = (kind: string) => ({ ...of(kind), properties: { kind: { const: kind }, x: inner }, ...closed });
    expect(made).toEqual({ oneOf: [each('p'), each('q')] });
  });

  it.each([
    ['the whole vocabulary', schema],
    ['keywords that decide about unevaluated members', evaluating],
  ])('closeObjects never accepts a value that the schema refuses: %s', (_, from) => {
    let changed = 0;
    fc.assert(
      fc.property(from, fc.array(value, { minLength: 1, maxLength: 12 }), (one, values) => {
        if (!isObject(one) || !lint(one).ok) return;
        const made = closeObjects(one);
        changed += JSON.stringify(made) === JSON.stringify(one) ? 0 : 1;
        const [narrow, wide] = [validity(made), validity(one)];
        for (const each of values) expect(narrow(each) && !wide(each)).toBe(false);
      }),
      { numRuns: caseCount(2_000), seed: 20_261_123 },
    );
    expect(changed).toBeGreaterThan(caseCount(50));
  });

  it('importSchema closes objects unless close is false', () => {
    expect(importSchema(a)).toMatchObject({ ok: true, value: { schema: { ...a, ...closed } } });
    expect(importSchema(a, { close: false })).toMatchObject({ ok: true, value: { schema: a } });
  });
});
