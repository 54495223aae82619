import { describe, expect, it } from 'vitest';
import { importSchema, lint } from '../../../../core/index.ts';
import { ruleOf } from '../realm.ts';

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';

function imported(schema: unknown, close = false): unknown {
  const outcome = importSchema(schema, { close });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  expect(lint(outcome.value.schema).ok).toBe(true);
  return outcome.value;
}

function refused(schema: unknown): unknown {
  const outcome = importSchema(schema);
  return outcome.ok ? 'taken' : [ruleOf(outcome.refusal), outcome.refusal.pointer];
}

describe('importSchema of a schema of OpenAPI 3.0 that says so', () => {
  it('reads nullable also beside keywords that OpenAPI 3.0 does not have', () => {
    const given = { type: 'string', nullable: true, const: 'a', $id: 'x', id: 'y' };
    expect(imported({ $schema: 'https://spec.openapis.org/oas/3.0/dialect', ...given })).toEqual({
      schema: { type: ['string', 'null'], const: 'a' },
      dropped: ['/$id', '/id'],
    });
    expect(
      imported({ $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', type: 'string', nullable: true }),
    ).toEqual({
      schema: { type: 'string' },
      dropped: ['/nullable'],
    });
  });
});

describe('importSchema of older drafts', () => {
  it.each<[string, object, object, readonly string[]]>([
    [
      'a list of items and additional items',
      { items: [{ type: 'string' }, {}], additionalItems: { type: 'null' } },
      { prefixItems: [{ type: 'string' }, {}], items: { type: 'null' } },
      [],
    ],
    ['additional items without a list', { items: {}, additionalItems: false }, { items: {} }, ['/additionalItems']],
    ['an empty list of items', { items: [], additionalItems: false }, { items: false }, []],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { minProperties: 2 } } },
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { minProperties: 2 } } },
      [],
    ],
    [
      'definitions, used and unused',
      { $ref: '#/definitions/a~1%62', definitions: { 'a/b': { $ref: '#/definitions/x' }, x: {}, y: { $ref: '#/z' } } },
      { $ref: '#/$defs/a_b', $defs: { a_b: { $ref: '#/$defs/x' }, x: {} } },
      ['/definitions/y'],
    ],
    [
      'two definitions with the same last name',
      {
        allOf: [{ $ref: '#/definitions/a/definitions/x' }, { $ref: '#/definitions/x' }],
        definitions: { x: {}, a: { definitions: { x: true } } },
      },
      { allOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x_2' }], $defs: { x: true, x_2: {} } },
      [],
    ],
    [
      'annotations of other programs',
      { type: 'string', 'x-order': 1, format: 'hostname', properties: { 'x-order': { enumNames: [] } } },
      { type: 'string', properties: { 'x-order': {} } },
      ['/format', '/properties/x-order/enumNames', '/x-order'],
    ],
  ])('importSchema translates %s', (_, given, schema, dropped) => {
    expect(imported({ $schema: DRAFT_7, ...given })).toEqual({ schema, dropped });
  });

  it('importSchema translates boolean bounds of draft 4', () => {
    const bounds = { minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false };
    expect(imported({ $schema: DRAFT_4, ...bounds })).toEqual({
      schema: { exclusiveMinimum: 1, maximum: 5 },
      dropped: [],
    });
    expect(refused({ $schema: DRAFT_4, exclusiveMinimum: true })).toEqual(['keyword_value', '/exclusiveMinimum']);
  });

  it('importSchema finds a reference by pointer, by id and by the own URI', () => {
    const uri = 'https://schemas.example/tree';
    const given = {
      $schema: DRAFT_7,
      $id: `${uri}#`,
      properties: {
        a: { $ref: '#item' },
        b: { $ref: `${uri}#/definitions/item` },
        c: { $ref: uri },
        d: { $ref: '#/properties/a' },
      },
      definitions: { item: { $id: '#item', type: 'string' } },
    };
    const a = { $ref: '#/$defs/item' };
    expect(imported(given)).toEqual({
      schema: {
        properties: { a, b: a, c: { $ref: '#' }, d: { $ref: '#/$defs/a' } },
        $defs: { item: { type: 'string' }, a },
      },
      dropped: ['/$id'],
    });
  });

  it('importSchema drops keywords beside $ref up to draft 7, and keeps them later and without $schema', () => {
    const given = { properties: { a: { $ref: '#/definitions/a', maxLength: 3, title: 'A' } }, definitions: { a: {} } };
    const schema = { properties: { a: { $ref: '#/$defs/a', title: 'A' } }, $defs: { a: {} } };
    expect(imported({ $schema: DRAFT_7, ...given })).toEqual({ schema, dropped: ['/properties/a/maxLength'] });
    const kept = { properties: { a: { $ref: '#/$defs/a', maxLength: 3, title: 'A' } }, $defs: { a: {} } };
    expect(imported({ $schema: DRAFT_2019, ...given })).toEqual({ schema: kept, dropped: [] });
    expect(imported(given)).toEqual({ schema: kept, dropped: [] });
  });

  it('importSchema reads $recursiveRef of a single schema as a reference to its root', () => {
    const given = { $schema: DRAFT_2019, $recursiveAnchor: true, properties: { more: { $recursiveRef: '#' } } };
    expect(imported(given)).toEqual({ schema: { properties: { more: { $ref: '#' } } }, dropped: [] });
  });

  it('importSchema leaves data unchanged that resembles a schema', () => {
    const data = { $ref: '#/x', definitions: {}, nullable: true, 'x-a': 1 };
    expect(imported({ $schema: DRAFT_7, const: data, enum: [data], default: data })).toEqual({
      schema: { const: data, enum: [data], default: data },
      dropped: [],
    });
  });
});

describe('importSchema of OpenAPI 3.0', () => {
  it('importSchema translates the keywords of OpenAPI 3.0', () => {
    const given = {
      type: 'object',
      properties: {
        id: { type: 'integer', format: 'int64', readOnly: true, example: 7 },
        tag: { type: 'string', nullable: true, xml: { name: 't' } },
        cost: { type: 'number', format: 'double', minimum: 0, exclusiveMinimum: true },
        friend: { $ref: '#/components/schemas/Pet' },
      },
      discriminator: { propertyName: 'id' },
      components: { schemas: { Pet: { type: 'object', nullable: false, externalDocs: {} }, Other: {} } },
    };
    expect(imported(given)).toEqual({
      schema: {
        type: 'object',
        properties: {
          id: { type: 'integer', readOnly: true, examples: [7] },
          tag: { type: ['string', 'null'] },
          cost: { type: 'number', exclusiveMinimum: 0 },
          friend: { $ref: '#/$defs/Pet' },
        },
        $defs: { Pet: { type: 'object' } },
      },
      dropped: [
        '/discriminator',
        '/properties/cost/format',
        '/properties/id/format',
        '/properties/tag/xml',
        '/components/schemas/Pet/externalDocs',
      ],
    });
  });

  it('importSchema accepts null by nullable only where the schema can be of OpenAPI 3.0', () => {
    const nullable = { type: 'string', nullable: true };
    const types = (given: object): unknown => (imported(given) as { schema: { type: unknown } }).schema.type;
    expect(types(nullable)).toEqual(['string', 'null']);
    expect(types({ ...nullable, enum: ['a'] })).toEqual(['string', 'null']);
    for (const other of [
      { $schema: DRAFT_7 },
      { properties: { a: { const: 1 } } },
      { items: { exclusiveMinimum: 1 } },
    ]) {
      expect(imported({ ...nullable, ...other })).toMatchObject({ schema: { type: 'string' }, dropped: ['/nullable'] });
    }
    expect(imported({ nullable: true })).toEqual({ schema: {}, dropped: ['/nullable'] });
  });
});

describe('importSchema refuses', () => {
  it.each<[string, unknown, string, string]>([
    ['a value that is no object', true, 'not_schema', ''],
    ['a draft that is unknown', { $schema: 'http://json-schema.org/draft-03/schema#' }, 'dialect', '/$schema'],
    ['a draft that is no text', { $schema: 7 }, 'dialect', '/$schema'],
    ['another draft below the root', { $schema: DRAFT_7, not: { $schema: DRAFT_4 } }, 'dialect', '/not/$schema'],
    ['a reference to another document', { items: [{ $ref: 'a.json#/b' }] }, 'remote_ref', '/items/0/$ref'],
    ['a reference to no schema', { $ref: '#/definitions/a' }, 'unresolved_ref', '/$ref'],
    ['a reference to data', { $ref: '#/x', x: 1 }, 'unresolved_ref', '/$ref'],
    [
      'a schema with a URI of its own',
      { definitions: { a: { $id: 'a' } }, $ref: '#/definitions/a' },
      'embedded_id',
      '/$ref',
    ],
    [
      'a reference into such a schema',
      { definitions: { a: { id: 'a', not: {} } }, $ref: '#/definitions/a/not' },
      'embedded_id',
      '/$ref',
    ],
    [
      'an anchor that stands twice',
      { $ref: '#a', definitions: { a: { $id: '#a' }, b: { $id: '#a' } } },
      'duplicate_anchor',
      '/$ref',
    ],
    ['a reference to itself', { $ref: '#/definitions/a', definitions: { a: { $ref: '#' } } }, 'endless', ''],
    [
      'a keyword of draft 3',
      { properties: { a: { disallow: ['string'] } } },
      'unknown_keyword',
      '/properties/a/disallow',
    ],
    ['required as in draft 3', { properties: { a: { required: true } } }, 'keyword_value', '/properties/a/required'],
    ['a keyword of a later draft', { $schema: DRAFT_4, items: [{ const: 1 }] }, 'unknown_keyword', '/items/0/const'],
    [
      'a pattern without the u flag',
      { definitions: { a: { pattern: '\\a' } }, items: [{ $ref: '#/definitions/a' }] },
      'pattern',
      '/definitions/a/pattern',
    ],
    ['a dynamic reference', { $dynamicRef: '#a' }, 'dynamic_ref', '/$dynamicRef'],
    ['dependencies of draft 3', { dependencies: { a: 'b' } }, 'not_schema', '/dependencies/a'],
    [
      'dependencies twice for a name',
      { dependencies: { a: ['b'] }, dependentRequired: { a: ['c'] } },
      'keyword_value',
      '/dependentRequired',
    ],
    ['a member __proto__', JSON.parse('{"properties":{"__proto__":{}}}'), 'proto_member', '/properties/__proto__'],
    [
      'a definition __proto__',
      JSON.parse('{"$ref":"#/definitions/__proto__","definitions":{"__proto__":{}}}'),
      'proto_member',
      '/definitions/__proto__',
    ],
  ])('importSchema refuses %s', (_, schema, rule, pointer) => {
    expect(refused(schema)).toEqual([rule, pointer]);
    const outcome = importSchema(schema);
    expect(outcome.ok ? '' : outcome.refusal.message).toContain(pointer);
  });

  it('importSchema accepts 32 levels and refuses 33', () => {
    const levels = (count: number): object => (count === 1 ? {} : { additionalItems: {}, items: [levels(count - 1)] });
    expect(refused(levels(32))).toBe('taken');
    expect(importSchema(levels(33))).toMatchObject({ ok: false, refusal: { code: 'schema_too_large' } });
  });

  it('importSchema refuses a schema of more than 65,536 bytes and a schema that contains itself', () => {
    const cyclic: { items?: unknown } = {};
    cyclic.items = cyclic;
    expect(refused(cyclic)).toEqual(['not_json', expect.any(String)]);
    expect(importSchema({ title: 'a'.repeat(65_536) })).toMatchObject({
      ok: false,
      refusal: { code: 'schema_too_large' },
    });
  });

  it('importSchema reads each member once', () => {
    let reads = 0;
    const given = {
      get type() {
        reads += 1;
        return reads === 1 ? 'string' : 'number';
      },
    };
    expect(imported(given)).toEqual({ schema: { type: 'string' }, dropped: [] });
  });
});
