import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../core/json/value.ts';
import { withFiles } from '../../../../../sandbox/capabilities/index.ts';
import { formOf } from '../../../../../workers/bridges/models/small/form.ts';
import { begin, canEnd, readOn } from '../../../../../workers/bridges/models/small/grammar.ts';

function accepts(schema: JsonObject, text: string): boolean {
  const reading = readOn(begin(formOf(schema)), text);
  return reading !== undefined && canEnd(reading);
}

const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
});

describe('the form of a schema', () => {
  test('accepts members in any order, and without the optional ones', () => {
    const schema = closed({ a: { type: 'integer' }, b: { type: 'string' } }, ['a']);
    for (const text of ['{"a":1,"b":"x"}', '{"b":"x","a":1}', '{"a":-20}'])
      expect(accepts(schema, text), text).toBe(true);
    for (const text of ['{"b":"x"}', '{"a":1,"a":2}', '{"a":1,"c":2}', '{"a":01}', '{"a":1', '{"a":1.5}', '{ "a":1}'])
      expect(accepts(schema, text), text).toBe(false);
  });

  test('holds texts to their pattern and length', () => {
    expect(accepts({ type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }, '"2026-12"')).toBe(true);
    expect(accepts({ type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }, '"2026-13"')).toBe(false);
    expect(accepts({ type: 'string', pattern: '^[a-z][a-z0-9-]{0,2}$' }, '"a-1"')).toBe(true);
    expect(accepts({ type: 'string', pattern: '^[a-z][a-z0-9-]{0,2}$' }, '"a-12"')).toBe(false);
    expect(accepts({ type: 'string', minLength: 1, maxLength: 2 }, '""')).toBe(false);
    expect(accepts({ type: 'string', minLength: 1, maxLength: 2 }, '"ab"')).toBe(true);
    expect(accepts({ type: 'string', minLength: 1, maxLength: 2 }, '"abc"')).toBe(false);
  });

  test('takes a text with a pattern that it cannot read as any text', () => {
    expect(accepts({ type: 'string', pattern: '^(?=a)b$' }, '"anything"')).toBe(true);
  });

  test('follows references, constants, choices, lists and free values', () => {
    const schema: JsonObject = {
      ...closed({ next: { $ref: '#/$defs/node' }, any: true, kind: { enum: ['x', 1, null] }, fix: { const: 'y' } }),
      $defs: { node: closed({ list: { type: 'array', items: { $ref: '#/$defs/node' }, maxItems: 2 } }, ['list']) },
    };
    for (const text of [
      '{"next":{"list":[{"list":[]}]}}',
      '{"any":{"a":[1,true,"x"]}}',
      '{"kind":null}',
      '{"fix":"y"}',
    ])
      expect(accepts(schema, text), text).toBe(true);
    for (const text of [
      '{"next":{"list":[1]}}',
      '{"kind":"y"}',
      '{"fix":"x"}',
      '{"next":{"list":[{"list":[]},{"list":[]},{"list":[]}]}}',
    ])
      expect(accepts(schema, text), text).toBe(false);
  });

  test('accepts a call of each of the two ways of a table, and refuses both ways at once', () => {
    const csv = withFiles({}).find(({ name }) => name === 'csv.query')?.args ?? {};
    const where = '"where":[{"column":"a","op":"eq","value":"b"}]';
    expect(accepts(csv, `{"path":"x.csv",${where},"sum":"c"}`)).toBe(true);
    expect(accepts(csv, `{"text":"a",${where}}`)).toBe(true);
    expect(accepts(csv, `{"path":"x.csv","text":"a"}`)).toBe(false);
    expect(accepts(csv, `{${where}}`)).toBe(false);
  });
});
