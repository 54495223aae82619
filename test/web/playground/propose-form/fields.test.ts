import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../core/index.ts';
import { type FormField, formOf } from '../../../../web/playground/propose-form/fields.ts';

const member = (schema: JsonObject, name = 'a'): FormField | undefined => {
  const form = formOf({ type: 'object', properties: { [name]: schema } });
  return form.kind === 'object' ? form.members[0]?.field : undefined;
};

describe('a form made from a schema', () => {
  it.each<[JsonObject, string]>([
    [{ type: 'string' }, 'text'],
    [{ type: 'number' }, 'number'],
    [{ type: ['integer'] }, 'number'],
    [{ type: 'boolean' }, 'choice'],
    [{ enum: ['g', 'kg'] }, 'choice'],
    [{ const: 1 }, 'choice'],
    [{ type: 'object', properties: { b: {} } }, 'object'],
    [{ properties: {} }, 'object'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
  ])('the form has a field for %j: %s', (schema, kind) => expect(member(schema)?.kind).toBe(kind));

  it.each<[JsonObject]>([
    [{}],
    [{ type: ['string', 'null'] }],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [{ type: 'object', additionalProperties: { type: 'number' } }],
    [{ type: 'object', patternProperties: { '^a': {} } }],
    [{ type: 'array', prefixItems: [{}], items: { type: 'string' } }],
    [{ type: 'constructor' }],
    [{ $ref: 'https://schemas.example/a' }],
  ])('the form takes JSON for %j', (schema) => expect(member(schema)?.kind).toBe('json'));

  it('the form names the constraints of a member, its description and its default', () => {
    const schema = { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'How many.' };
    const hints = ['a whole number', 'at least 1', 'at most 9'];
    expect(member(schema)).toEqual({ kind: 'number', hints, description: 'How many.', preset: 3 });
    expect(member({ type: 'string', pattern: '^a' })?.hints).toEqual(['matches ^a']);
  });

  it('the form begins with the required members, in the order of the schema', () => {
    const form = formOf({ properties: { a: {}, b: {}, c: {} }, required: ['c', 'a', 'absent'] });
    const names = form.kind === 'object' ? form.members.map(({ name }) => name) : [];
    expect(names).toEqual(['c', 'a', 'b']);
  });

  it('the form follows a reference within the schema', () => {
    const form = formOf({ properties: { a: { $ref: '#/$defs/x~1y' } }, $defs: { 'x/y': { type: 'number' } } });
    expect(form).toMatchObject({ members: [{ field: { kind: 'number' } }] });
  });

  it('the form of a schema that names itself ends in JSON', () => {
    const properties = Object.fromEntries([...'abcdefghij'].map((name) => [name, { $ref: '#' }]));
    let count = 0;
    const walk = (field: FormField): void => {
      count += 1;
      if (field.kind === 'object') for (const inner of field.members) walk(inner.field);
    };
    walk(formOf({ type: 'object', properties }));
    expect(count).toBeLessThan(2500);
  });
});
