import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encodeText, type JsonObject, type JsonValue } from '../../../../core/index.ts';
import {
  atFields,
  entryOf,
  type FormEntry,
  faultsOf,
  jsonText,
} from '../../../../web/playground/propose-form/entry.ts';
import { type FormField, formOf } from '../../../../web/playground/propose-form/fields.ts';

const ITEM: JsonObject = {
  type: 'object',
  properties: { item: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
  required: ['item'],
};
const ORDER: JsonObject = {
  type: 'object',
  properties: { lines: { type: 'array', items: ITEM, minItems: 1 }, note: { type: 'string' }, more: {} },
  required: ['lines'],
};
const form = formOf(ORDER);
const textOf = (value: JsonValue) => jsonText(form, entryOf(form, value));

describe('the text that a form writes', () => {
  it('a form writes the value that it began with', () => {
    const value = { lines: [{ item: 'salt\n"x"', count: 2 }, { item: '' }], note: '', more: { a: [1] } };
    expect(JSON.parse(textOf(value) ?? '')).toEqual(value);
  });

  it('an optional member is left out until it is included, and begins with its default', () => {
    expect(jsonText(form, entryOf(form))).toBe('{"lines":[{"item":""}]}');
    const preset = formOf({ type: 'number', default: 7 });
    expect(jsonText(preset, entryOf(preset))).toBe('7');
  });

  it.each([
    ['1.50', '1.50'],
    [' 2 ', '2'],
    ['two', '"two"'],
    ['', '""'],
    ['9007199254740993', '"9007199254740993"'],
  ])('a number field with %j writes %s', (typed, text) =>
    expect(jsonText(formOf({ type: 'number' }), { kind: 'leaf', text: typed })).toBe(text),
  );

  it('a form with a field for JSON that holds none writes no text, and names the field', () => {
    const entry: FormEntry = { kind: 'object', members: new Map([['more', { kind: 'leaf', text: '{"a":1,"a":2}' }]]) };
    expect(jsonText(form, entry)).toBeUndefined();
    expect([...faultsOf(form, entry).keys()]).toEqual(['/more']);
  });

  it('a fault is shown at its field, or at the nearest field around it', () => {
    const entry = entryOf(form, { lines: [{ item: 'a' }], more: {} });
    const issues = ['/lines/0/item', '/lines/0/count', '/more/deep/down', ''].map((pointer) => ({
      pointer,
      message: 'no',
    }));
    expect(Object.fromEntries(atFields(form, entry, issues))).toEqual({
      '/lines/0/item': 'no',
      '/lines/0': '/lines/0/count: no',
      '/more': '/more/deep/down: no',
      '': 'no',
    });
  });
});

const name = fc.constantFrom('a', 'b', 'a/b~c', '__proto__x', 'constructor');
const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constant('string'), maxLength: fc.nat(3) }),
  fc.record({ type: fc.constantFrom('number', 'integer'), minimum: fc.integer({ min: -2, max: 2 }) }),
  fc.constantFrom<JsonObject>({ type: 'boolean' }, { enum: ['x', 1, null] }, { const: { y: 1 } }, {}),
);
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(2) }),
    fc.tuple(fc.dictionary(name, tie('schema'), { maxKeys: 3 }), fc.boolean()).map(([properties, closed]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, 1),
      ...(closed && { additionalProperties: false }),
    })),
  ),
}));
const typed = fc.oneof(fc.string(), fc.constantFrom('1', '-3', '0.5', '1e999', 'true', '{"a":1}', '[]', '"'));

/** Texts as a person may type them, and members and items as a person may leave or remove them. */
function entryFor(field: FormField): fc.Arbitrary<FormEntry> {
  if (field.kind === 'choice')
    return fc.constantFrom(...field.choices).map((each) => ({ kind: 'leaf', text: JSON.stringify(each) }));
  if (field.kind === 'list')
    return fc.array(entryFor(field.item), { maxLength: 3 }).map((items) => ({ kind: 'list', items }));
  if (field.kind !== 'object') return typed.map((text) => ({ kind: 'leaf', text }));
  const each = field.members.map((member) =>
    fc.tuple(fc.constant(member.name), member.required ? entryFor(member.field) : fc.option(entryFor(member.field))),
  );
  return fc.tuple(...each).map((all) => ({
    kind: 'object',
    members: new Map(all.flatMap(([key, entry]) => (entry === null ? [] : [[key, entry] as const]))),
  }));
}

it('a text of a form is JSON that its schema accepts, or each fault has a field of the form', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true });
  const cases = schema.chain((each) => entryFor(formOf(each)).map((entry) => [each, entry] as const));
  fc.assert(
    fc.property(cases, ([given, entry]) => {
      const field = formOf(given);
      const text = jsonText(field, entry);
      expect(faultsOf(field, entry).size > 0).toBe(text === undefined);
      if (text === undefined) return;
      const read = decode(encodeText(text));
      if (!read.ok) throw new Error(text);
      const check = ajv.compile(given);
      check(read.value);
      const issues = (check.errors ?? []).map(({ instancePath }) => ({ pointer: instancePath, message: 'no' }));
      // a message at another place than its own begins with its pointer
      expect([...atFields(field, entry, issues).values()].join('')).not.toContain('/');
    }),
    { numRuns: 300 },
  );
});
