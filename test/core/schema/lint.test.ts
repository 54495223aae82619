import { describe, expect, it } from 'vitest';
import { CAPABILITY_LIMITS, lint, REFUSALS, type Refusal } from '../../../core/index.ts';

function refused(schema: unknown): Refusal {
  const outcome = lint(schema);
  if (outcome.ok) throw new Error('accepted');
  return outcome.refusal;
}

function plain(schema: unknown): unknown {
  const outcome = lint(schema);
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value.plain;
}

const twice = (ref: string) => ({ allOf: [{ $ref: ref }, { $ref: ref }] });

function doubling(times: number): unknown {
  const $defs: { [name: string]: unknown } = { [`d${times}`]: { type: 'null' } };
  for (let at = 0; at < times; at++) $defs[`d${at}`] = twice(`#/$defs/d${at + 1}`);
  return { ...twice('#/$defs/d0'), $defs };
}

const parsed = (text: string): unknown => JSON.parse(text);

/** Refused schemas, with the rule and the pointer of each refusal. */
const VECTORS: readonly (readonly [name: string, schema: unknown, rule: string, pointer: string])[] = [
  ['a number', 1, 'not_schema', ''],
  ['null', null, 'not_schema', ''],
  ['a list where a schema belongs', { items: [{}] }, 'not_schema', '/items'],
  ['undefined inside', { const: undefined }, 'not_json', '/const'],
  ['a function inside', { properties: { a: () => true } }, 'not_json', '/properties/a'],
  ['half of a surrogate pair', { const: '\ud800' }, 'not_json', '/const'],
  ['a misspelt keyword', { type: 'object', propertis: {} }, 'unknown_keyword', '/propertis'],
  ['a keyword of another draft', { definitions: {} }, 'unknown_keyword', '/definitions'],
  ['a keyword of OpenAPI', { items: { nullable: true } }, 'unknown_keyword', '/items/nullable'],
  ['a keyword called constructor', { constructor: {} }, 'unknown_keyword', '/constructor'],
  ['$async', { $async: true }, 'async', '/$async'],
  ['$data as a keyword', { $data: '1/a' }, 'data_ref', '/$data'],
  ['$data as a value', { properties: { a: { minimum: { $data: '1/b' } } } }, 'data_ref', '/properties/a/minimum'],
  ['a remote reference', { $ref: 'https://example.com/a.json' }, 'remote_ref', '/$ref'],
  ['a relative reference', { items: { $ref: 'a.json#/b' } }, 'remote_ref', '/items/$ref'],
  ['a reference without a target', { $ref: '#/$defs/a' }, 'unresolved_ref', '/$ref'],
  ['a reference to an inherited name', { $ref: '#/$defs/toString', $defs: {} }, 'unresolved_ref', '/$ref'],
  ['a reference to data', { const: { a: {} }, not: { $ref: '#/const/a' } }, 'unresolved_ref', '/not/$ref'],
  ['a reference to an annotation', { default: {}, not: { $ref: '#/default' } }, 'unresolved_ref', '/not/$ref'],
  ['a reference that is not percent-encoded', { $ref: '#/%zz' }, 'unresolved_ref', '/$ref'],
  ['an unknown anchor', { $ref: '#here' }, 'unresolved_ref', '/$ref'],
  ['an anchor defined twice', { allOf: [{ $anchor: 'a' }, { $anchor: 'a' }] }, 'duplicate_anchor', '/allOf/1/$anchor'],
  ['$dynamicRef', { $dynamicRef: '#a' }, 'dynamic_ref', '/$dynamicRef'],
  ['$dynamicAnchor', { $defs: { a: { $dynamicAnchor: 'a' } } }, 'dynamic_ref', '/$defs/a/$dynamicAnchor'],
  ['$vocabulary', { $vocabulary: {} }, 'vocabulary', '/$vocabulary'],
  ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'dialect', '/$schema'],
  ['$id below the root', { $defs: { a: { $id: 'https://a.example/' } } }, 'embedded_id', '/$defs/a/$id'],
  [
    'a property called __proto__',
    parsed('{"properties":{"__proto__":false}}'),
    'proto_member',
    '/properties/__proto__',
  ],
  ['data with __proto__', parsed('{"const":{"__proto__":1}}'), 'proto_member', '/const/__proto__'],
  ['an empty enum', { enum: [] }, 'empty_enum', '/enum'],
  ['an unknown format', { format: 'phone' }, 'unknown_format', '/format'],
  ['a format that needs IDNA', { format: 'hostname' }, 'unknown_format', '/format'],
  ['a format called constructor', { format: 'constructor' }, 'unknown_format', '/format'],
  ['a malformed pattern', { pattern: '(' }, 'pattern', '/pattern'],
  ['a pattern of another language', { pattern: '(?i)a' }, 'pattern', '/pattern'],
  ['a malformed name pattern', { patternProperties: { '[': true } }, 'pattern', '/patternProperties/['],
  ['an unknown type', { type: 'text' }, 'keyword_value', '/type'],
  ['an empty list of types', { type: [] }, 'keyword_value', '/type'],
  ['a negative count', { minLength: -1 }, 'keyword_value', '/minLength'],
  ['half a count', { maxItems: 1.5 }, 'keyword_value', '/maxItems'],
  ['a multiple of zero', { multipleOf: 0 }, 'keyword_value', '/multipleOf'],
  ['a name required twice', { required: ['a', 'a'] }, 'keyword_value', '/required'],
  ['a required number', { required: [1] }, 'keyword_value', '/required'],
  ['no branches', { anyOf: [] }, 'keyword_value', '/anyOf'],
  ['dependentRequired with a name', { dependentRequired: { a: 'b' } }, 'keyword_value', '/dependentRequired/a'],
  ['a schema that is itself', { $ref: '#' }, 'endless', ''],
  ['a pair of mutual references', { $ref: '#/$defs/a', $defs: { a: { anyOf: [true, { $ref: '#' }] } } }, 'endless', ''],
  [
    'contains beside unevaluatedItems',
    { contains: {}, unevaluatedItems: false },
    'unevaluated_items',
    '/unevaluatedItems',
  ],
  [
    'contains in a branch beside unevaluatedItems',
    { properties: { a: { unevaluatedItems: false, anyOf: [{ $ref: '#/$defs/c' }] } }, $defs: { c: { contains: {} } } },
    'unevaluated_items',
    '/properties/a/unevaluatedItems',
  ],
];

describe('the linter', () => {
  it.each(VECTORS)('the linter refuses %s', (_, schema, rule, pointer) => {
    const { code, class: kind, details, pointer: at, message } = refused(schema);
    expect({ code, kind, rule: details['rule'], at }).toEqual({
      code: 'schema_refused',
      kind: 'definition',
      rule,
      at: pointer,
    });
    expect(message).toContain(REFUSALS[rule as keyof typeof REFUSALS].replace(/\.$/u, ''));
  });

  it('the vectors cover every rule except branches, library and compile', () => {
    const rules = new Set<string>(VECTORS.map(([, , rule]) => rule));
    expect(Object.keys(REFUSALS).filter((rule) => !rules.has(rule))).toEqual(['branches', 'library', 'compile']);
  });

  it('the linter refuses references that double twenty times, and accepts ten times', () => {
    expect(refused(doubling(20)).details).toMatchObject({ rule: 'branches' });
    expect(lint(doubling(10)).ok).toBe(true);
  });

  it('the linter accepts the keywords of a usual tool schema', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/mail',
      title: 'Mail',
      type: 'object',
      properties: {
        to: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 1, uniqueItems: true },
        body: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/part' }] },
        $id: { const: 1 },
        constructor: { type: 'string' },
      },
      required: ['to', 'body'],
      additionalProperties: false,
      $defs: { part: { type: 'object', properties: { parts: { items: { $ref: '#/$defs/part' } } } } },
    };
    expect(lint(schema).ok).toBe(true);
  });

  it('the linter accepts the boolean schemas', () => {
    expect([plain(true), plain(false)]).toEqual([true, false]);
  });
});

const nested = (levels: number): unknown => (levels === 1 ? {} : { items: nested(levels - 1) });
const wide = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, true])),
});
const long = (bytes: number) => ({ const: 'x'.repeat(bytes - '{"const":""}'.length) });
const branches = (count: number) => ({ anyOf: Array.from({ length: count }, (_, i) => ({ const: i })) });

describe('bounds', () => {
  const { schemaDepth, schemaProperties, schemaBytes, schemaAlternatives } = CAPABILITY_LIMITS;

  it.each([
    ['levels of subschemas', schemaDepth, nested],
    ['properties', schemaProperties, wide],
    ['bytes', schemaBytes, long],
    ['alternatives', schemaAlternatives, branches],
  ] as const)('the linter accepts a schema at its bound and refuses a schema above it: %s', (what, limit, make) => {
    expect(lint(make(limit)).ok).toBe(true);
    expect(refused(make(limit + 1))).toMatchObject({
      code: 'schema_too_large',
      details: { what, limit, used: limit + 1 },
    });
  });

  it('the linter counts the properties of the whole schema together', () => {
    const half = wide(schemaProperties / 2);
    expect(lint({ allOf: [half, half] }).ok).toBe(true);
    expect(refused({ allOf: [half, half, wide(1)] }).details).toMatchObject({ used: schemaProperties + 1 });
  });

  it('the linter refuses a value that contains itself', () => {
    const loop: { const?: unknown } = {};
    loop.const = loop;
    expect(refused(loop).code).toBe('schema_refused');
  });

  it('the linter refuses 100,000 levels of data', () => {
    let deep: unknown = 0;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(refused({ const: deep }).code).toBe('schema_refused');
  });
});

describe('the schema for compilers', () => {
  it('the schema for compilers has no annotations, and its names are sorted', () => {
    expect(
      JSON.stringify(plain({ type: 'string', title: 'T', $comment: 'c', minLength: 1, default: 'x', $anchor: 'a' })),
    ).toBe('{"minLength":1,"type":"string"}');
  });

  it('the schema for compilers holds referenced schemas under names r0, r1 and so on', () => {
    const schema = {
      properties: {
        a: { $ref: '#/$defs/x~1%25' },
        b: { $anchor: 'b', type: 'string' },
        c: { $ref: '#b' },
        d: { $ref: '#' },
      },
      $defs: { 'x/%': { type: 'null' }, unused: { type: 'object' } },
    };
    expect(plain(schema)).toEqual({
      properties: { a: { $ref: '#/$defs/r0' }, b: { $ref: '#/$defs/r1' }, c: { $ref: '#/$defs/r1' }, d: { $ref: '#' } },
      $defs: { r0: { type: 'null' }, r1: { type: 'string' } },
    });
  });

  it('the schema for compilers and its hash do not depend on the order of names', () => {
    const [left, right] = [
      lint({ type: 'array', items: { const: { a: 1, b: 2 } } }),
      lint({ items: { const: { b: 2, a: 1 } }, type: 'array' }),
    ];
    expect(left).toEqual(right);
    expect(JSON.stringify(left)).toBe(JSON.stringify(right));
  });

  it('the linter reads each member once, so that a getter cannot change its answer', () => {
    let reads = 0;
    const schema = {
      get type(): string {
        reads += 1;
        return reads === 1 ? 'string' : 'nonsense';
      },
    };
    expect(plain(schema)).toEqual({ type: 'string' });
    expect(reads).toBe(1);
  });
});
