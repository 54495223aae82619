import { describe, expect, it } from 'vitest';
import { type JsonObject, relaxSchema } from '../../../../core/index.ts';

const text = { type: 'string' };
const closed = { additionalProperties: false };
const any = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] };

describe('relaxSchema for openai-strict', () => {
  it('relaxSchema keeps a closed object whose properties are required', () => {
    const schema = { type: 'object', properties: { a: text }, required: ['a'], ...closed };
    expect(relaxSchema(schema, 'openai-strict')).toEqual({ schema, dropped: [], fits: true });
  });

  it.each<[string, JsonObject]>([
    ['an optional property', { type: 'object', properties: { a: text }, ...closed }],
    ['an open object', { type: 'object', properties: { a: text }, required: ['a'] }],
    ['a value of any type', { type: 'object', properties: { a: {} }, required: ['a'], ...closed }],
    ['a list of any values', { type: 'object', properties: { a: { type: 'array' } }, required: ['a'], ...closed }],
    ['a root that is no object', text],
  ])('relaxSchema says that strict mode has no form for %s', (_, schema) => {
    expect(relaxSchema(schema, 'openai-strict')).toMatchObject({ dropped: [], fits: false });
  });

  it('relaxSchema writes const as enum and oneOf as anyOf, and names lengths', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { const: 'a' },
        name: { type: 'string', maxLength: 3, description: 'Name.', default: 'x' },
        either: { oneOf: [text, { type: 'null' }] },
      },
      required: ['either', 'kind', 'name'],
      ...closed,
    };
    const properties = {
      kind: { enum: ['a'] },
      name: { type: 'string', description: 'Name.' },
      either: { anyOf: [text, { type: 'null' }] },
    };
    expect(relaxSchema(schema, 'openai-strict')).toEqual({
      schema: { ...schema, properties },
      dropped: ['/properties/name/maxLength'],
      fits: true,
    });
  });
});

describe('relaxSchema for llama.cpp', () => {
  it('relaxSchema writes definitions out, and lets a cycle end in any value', () => {
    const schema = {
      $defs: { tree: { type: 'object', properties: { name: text, more: { $ref: '#/$defs/tree' } }, ...closed } },
      $ref: '#/$defs/tree',
    };
    expect(relaxSchema(schema, 'llama.cpp')).toEqual({
      schema: { type: 'object', properties: { name: text, more: any }, ...closed },
      dropped: ['/$defs/tree/properties/more/$ref'],
      fits: true,
    });
  });

  it('relaxSchema says that an object is open, and accepts any value by its types', () => {
    const schema = { type: 'object', properties: { a: true, b: { type: 'string', pattern: '^a$' } } };
    expect(relaxSchema(schema, 'llama.cpp')).toEqual({
      schema: { type: 'object', properties: { a: any, b: text }, additionalProperties: true },
      dropped: ['/properties/b/pattern'],
      fits: true,
    });
  });

  it('relaxSchema keeps bounds of integers and small counts', () => {
    const relaxed = (schema: JsonObject) => relaxSchema(schema, 'llama.cpp');
    expect(relaxed({ type: 'integer', minimum: 1 }).schema).toEqual({ type: 'integer', minimum: 1 });
    expect(relaxed({ type: 'number', minimum: 1 })).toMatchObject({
      schema: { type: 'number' },
      dropped: ['/minimum'],
    });
    expect(relaxed({ type: 'string', maxLength: 1_000 }).dropped).toEqual([]);
    expect(relaxed({ type: 'string', maxLength: 1_001 }).dropped).toEqual(['/maxLength']);
  });
});

describe('relaxSchema for other decoders', () => {
  it('relaxSchema joins the parts of an allOf and closes them as a whole', () => {
    const part = (name: string) => ({ type: 'object', properties: { [name]: text }, required: [name] });
    const schema = { allOf: [{ $ref: '#/$defs/a' }, part('b')], unevaluatedProperties: false, $defs: { a: part('a') } };
    expect(relaxSchema(schema, 'gemini')).toEqual({
      schema: { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'], ...closed },
      dropped: [],
      fits: true,
    });
  });

  it('relaxSchema leaves an object open whose parts may list further properties', () => {
    const schema = {
      type: 'object',
      properties: { a: text },
      anyOf: [{ properties: { b: text } }],
      unevaluatedProperties: false,
    };
    expect(relaxSchema(schema, 'prompt-api')).toEqual({
      schema: { type: 'object', properties: { a: text } },
      dropped: ['/anyOf', '/unevaluatedProperties'],
      fits: true,
    });
  });

  it('relaxSchema closes the joined object where a part is closed, and names that the part refused more', () => {
    const schema = { type: 'object', properties: { a: text }, allOf: [{ properties: { b: text }, ...closed }] };
    expect(relaxSchema(schema, 'prompt-api')).toEqual({
      schema: { type: 'object', properties: { a: text, b: text }, ...closed },
      dropped: ['/allOf/0/additionalProperties'],
      fits: true,
    });
  });

  it('relaxSchema does not join the items of one part with the first items of another', () => {
    const schema = { type: 'array', prefixItems: [text], minItems: 1, allOf: [{ items: { type: 'null' } }] };
    expect(relaxSchema(schema, 'prompt-api')).toEqual({
      schema: { type: 'array', prefixItems: [text], minItems: 1 },
      dropped: ['/allOf/0/items'],
      fits: true,
    });
  });

  it('relaxSchema opens an object whose patternProperties it drops', () => {
    const schema = { type: 'object', patternProperties: { '^x-': text }, ...closed };
    expect(relaxSchema(schema, 'xgrammar')).toEqual({
      schema: { type: 'object', properties: {}, additionalProperties: true },
      dropped: ['/additionalProperties', '/patternProperties'],
      fits: true,
    });
  });

  it('relaxSchema lets each item match one of prefixItems where fewer items are valid', () => {
    const schema = { type: 'array', prefixItems: [text, { type: 'null' }], items: false };
    const items = { anyOf: [text, { type: 'null' }] };
    expect(relaxSchema(schema, 'gemini')).toEqual({
      schema: { type: 'array', items, maxItems: 2 },
      dropped: ['/prefixItems'],
      fits: true,
    });
    const full = { type: 'array', prefixItems: [text, text], items: text, minItems: 2 };
    expect(relaxSchema(full, 'gemini')).toEqual({ schema: full, dropped: [], fits: true });
  });

  it('relaxSchema keeps references, and writes out a cycle only for gemini', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/leaf' }, more: { $ref: '#' } },
      ...closed,
      $defs: { leaf: text },
    };
    expect(relaxSchema(schema, 'xgrammar')).toEqual({ schema, dropped: [], fits: true });
    expect(relaxSchema(schema, 'gemini')).toMatchObject({
      schema: { properties: { a: { $ref: '#/$defs/leaf' }, more: {} } },
      dropped: ['/properties/more/$ref'],
    });
  });

  it('relaxSchema keeps patterns without look-around, for xgrammar only from ^ to $', () => {
    const dropped = (pattern: string, decoder: 'xgrammar' | 'prompt-api') =>
      relaxSchema({ type: 'string', pattern }, decoder).dropped.length;
    for (const pattern of ['^a$', '^(?:a|b)+$', '^[|^$]\\|$']) expect(dropped(pattern, 'xgrammar')).toBe(0);
    for (const pattern of ['a', '^a|b$', '^a\\$', '^(?=a)b$']) expect(dropped(pattern, 'xgrammar')).toBe(1);
    expect(dropped('a', 'prompt-api')).toBe(0);
    expect(dropped('^(?!a)b$', 'prompt-api')).toBe(1);
  });

  it('relaxSchema ends for definitions that double at each level', () => {
    const levels = Array.from({ length: 40 }, (_, nth) => [
      `d${nth}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/d${nth + 1}` }, b: { $ref: `#/$defs/d${nth + 1}` } } },
    ]);
    const schema = { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), d40: text } as JsonObject };
    const { dropped } = relaxSchema(schema, 'llama.cpp');
    expect(dropped.length).toBeGreaterThan(0);
  });
});
