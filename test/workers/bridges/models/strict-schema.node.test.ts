import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../core/json/value.ts';
import { parametersOf, strictForm } from '../../../../workers/bridges/models/strict-schema.ts';
import { strictFault } from './strict-server.ts';

const CLOSED = { type: 'object', additionalProperties: false } as const;
const TEXT = { type: 'string' };
const nested = (levels: number): JsonObject =>
  levels === 0 ? TEXT : { ...CLOSED, required: ['x'], properties: { x: nested(levels - 1) } };
const properties = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`p${nth}`, TEXT]));

/** The fault of a schema as a response format, and as the parameters of a tool. */
function faults(schema: JsonObject): { readonly strict: boolean; readonly faults: readonly (string | undefined)[] } {
  const { strict, ...form } = strictForm(schema);
  const response_format = { type: 'json_schema', json_schema: { name: 'p', ...form, strict } };
  const made = { name: 'p', parameters: parametersOf(schema), strict: false };
  return {
    strict,
    faults: [
      strictFault({ messages: [], response_format }),
      strictFault({ messages: [], tools: [{ type: 'function', function: made }] }),
    ],
  };
}

describe('a schema for OpenAI', () => {
  test.each<[string, JsonObject]>([
    ['alternatives', { oneOf: [nested(1), { ...CLOSED, required: ['n'], properties: { n: { const: 1 } } }] }],
    ['optional members', { ...CLOSED, properties: properties(4) }],
    ['bounds that strict mode does not know', { type: 'string', pattern: '^(?=a)', maxLength: 9 }],
    ['several types', { type: ['string', 'null'] }],
    ['an empty list', { type: 'array', maxItems: 0 }],
    ['recursion', { $ref: '#/$defs/n', $defs: { n: { ...CLOSED, properties: { n: { $ref: '#/$defs/n' } } } } }],
    ['eight levels', nested(8)],
    ['a thousand values', { enum: Array.from({ length: 1000 }, (_, nth) => nth) }],
    ['values of several types', { enum: [1, 'a', null] }],
    ['a member named oneOf', { ...CLOSED, required: ['any'], properties: { any: { const: 'oneOf' } } }],
  ])('with %s is said in strict mode', (_, schema) => {
    expect(faults(schema)).toEqual({ strict: true, faults: [undefined, undefined] });
  });

  test.each<[string, JsonObject]>([
    ['members of any name', { type: 'object' }],
    ['any value', {}],
    ['five optional members', { ...CLOSED, properties: properties(5) }],
    ['a tuple', { type: 'array', prefixItems: [{ oneOf: [TEXT] }] }],
    ['nine levels', nested(9)],
    ['more than a thousand values', { enum: Array.from({ length: 1001 }, (_, nth) => nth) }],
    ['any value in a definition', { $ref: '#/$defs/any', $defs: { any: {} } }],
  ])('with %s is a hint', (_, schema) => {
    expect(faults(schema)).toEqual({ strict: false, faults: [undefined, undefined] });
  });

  test('keeps an optional member away from null', () => {
    const { schema } = strictForm({ ...CLOSED, properties: { x: TEXT } });
    const closed = { ...CLOSED, required: [], properties: {} };
    const open = { ...closed, required: ['x'], properties: { x: TEXT } };
    expect(schema).toMatchObject({ properties: { proposal: { anyOf: [open, closed] } } });
  });

  test('keeps names and data that look like keywords', () => {
    const schema = { ...CLOSED, properties: { oneOf: { enum: ['oneOf'] } } };
    expect(parametersOf(schema)).toMatchObject({ properties: { oneOf: { enum: ['oneOf'] } } });
  });
});
