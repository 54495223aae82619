import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Effect from 'effect/Schema';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { defineCapability, definePower, defineTool, importSchema, SallyportError } from '../../../core/index.ts';

const terms = { name: 'a.b', version: '1.0.0', description: 'An example.', effect: 'pure' } as const;
const properties = { text: { type: 'string' }, times: { type: 'number' } };
const open = { type: 'object', properties, required: ['text'] };
const closed = { ...open, additionalProperties: false };

function argsOf(args: unknown): object {
  const { $schema: _, ...schema } = defineCapability({
    ...terms,
    args: args as never,
    source: 'export default () => 1',
  }).args;
  return schema;
}

function messageOf(define: () => unknown): string {
  try {
    define();
  } catch (error) {
    if (error instanceof SallyportError) return error.message;
    throw error;
  }
  return 'taken';
}

describe('a schema of a library in a definition', () => {
  it.each<[string, unknown]>([
    ['zod 4', z.object({ text: z.string(), times: z.number().optional() })],
    ['arktype', type({ text: 'string', 'times?': 'number' })],
    ['valibot', toStandardJsonSchema(v.object({ text: v.string(), times: v.optional(v.number()) }))],
    ['zod mini', mini.object({ text: mini.string(), times: mini.optional(mini.number()) })],
    ['zod 3', z3.object({ text: z3.string(), times: z3.number().optional() })],
    ['zod mini, converted', z.toJSONSchema(mini.object({ text: mini.string(), times: mini.optional(mini.number()) }))],
  ])('a schema of %s is taken in one line, and its objects are closed', (_, args) => {
    expect(argsOf(args)).toEqual(closed);
  });

  it('a schema of TypeBox is JSON Schema: an open object stays open, and importSchema closes it', () => {
    const args = Type.Object({ text: Type.String(), times: Type.Optional(Type.Number()) });
    expect(argsOf(args)).toEqual(open);
    expect(importSchema(args)).toEqual({ ok: true, value: { schema: closed, dropped: [] } });
  });

  it('a schema of Effect is taken in one line, and its objects stay open, because Effect says so', () => {
    const args = Effect.Struct({ text: Effect.String, size: Effect.optionalKey(Effect.Int) });
    expect(argsOf(Effect.toStandardJSONSchemaV1(args))).toMatchObject({
      properties: { text: { type: 'string' }, size: { type: 'integer' } },
      required: ['text'],
      additionalProperties: true,
    });
  });

  it('a schema of Effect that forbids further members is closed, also below the root', () => {
    const part = Effect.Struct({ text: Effect.String }).annotate({ identifier: 'Part' });
    const { schema, definitions } = Effect.toJsonSchemaDocument(Effect.Struct({ part }), { onExcessProperty: 'error' });
    expect(argsOf({ ...schema, $defs: definitions })).toMatchObject({
      additionalProperties: false,
      $defs: { Part: { additionalProperties: false } },
    });
  });

  it('a schema of valibot in draft 7 is refused by a message that names importSchema, which takes it', () => {
    const args = toJsonSchema(v.object({ text: v.string(), times: v.optional(v.number()) }));
    expect(messageOf(() => argsOf(args))).toMatch(/importSchema translates older drafts at \/args\/\$schema/);
    expect(importSchema(args)).toEqual({ ok: true, value: { schema: closed, dropped: [] } });
  });

  it.each<[string, unknown, RegExp]>([
    ['valibot', v.object({ text: v.string() }), /write toStandardJsonSchema\(schema\) of @valibot\/to-json-schema/],
    ['Effect', Effect.Struct({ text: Effect.String }), /write Schema\.toStandardJSONSchemaV1\(schema\)/],
    ['an old arktype', { '~standard': { vendor: 'arktype' } }, /use arktype 2\.2 or later/],
    ['Effect, made standard', Effect.toStandardSchemaV1(Effect.Struct({})), /Schema\.toStandardJSONSchemaV1\(schema\)/],
    ['an unknown library', { '~standard': { vendor: 'other', version: 1 } }, /no ~standard\.jsonSchema/],
  ])('a schema of %s is refused by a message that names the line to write', (_, args, line) => {
    const message = messageOf(() => argsOf(args));
    expect(message).toMatch(line);
    expect(message).toContain(' at /args. ');
  });

  it('a definition without args is refused at /args with the schema for no arguments', () => {
    const message = /args is missing: .*for no arguments \{ type: 'object', properties: \{\}.* at \/args\. /;
    expect(messageOf(() => argsOf(undefined))).toMatch(message);
    expect(messageOf(() => definePower({ ...terms, run: () => 1 } as never))).toMatch(message);
  });
});

const FORMATS = {
  ...{
    startsWith: z.string().startsWith('a/'),
    endsWith: z.string().endsWith('.b'),
    includes: z.string().includes('x.y'),
  },
  ...{ lowercase: z.string().lowercase(), uppercase: z.string().uppercase(), nanoid: z.nanoid(), cuid: z.cuid() },
  ...{ cuid2: z.cuid2(), ulid: z.ulid(), xid: z.xid(), ksuid: z.ksuid(), cidrv4: z.cidrv4(), cidrv6: z.cidrv6() },
  ...{ mac: z.mac(), base64: z.base64(), base64url: z.base64url(), emoji: z.emoji(), e164: z.e164() },
  ...{ hostname: z.hostname(), hex: z.hex(), hash: z.hash('sha256'), all: z.string().startsWith('a').endsWith('b') },
};

describe('a check of a library beyond JSON Schema', () => {
  const tool = (args: unknown) => defineTool({ ...terms, args: args as never, run: () => 1 });
  const capability = (args: unknown) => argsOf(args);

  it.each(Object.entries(FORMATS))('the format %s of zod is its pattern, in a capability too', (_, x) => {
    expect(messageOf(() => capability(z.object({ x })))).toBe('taken');
    expect(JSON.stringify(capability(z.object({ x })))).toContain('"pattern":');
    expect(JSON.stringify(capability(mini.object({ x })))).toContain('"pattern":');
  });

  it('a format without a pattern is taken by a tool, which has its check run, and refused by a capability', () => {
    expect(messageOf(() => tool(z.object({ x: z.jwt() })))).toBe('taken');
    expect(messageOf(() => capability(z.object({ x: z.jwt() })))).toMatch(/the format jwt at \/properties\/x/);
    expect(messageOf(() => tool(z.object({ x: z.file() })))).toMatch(/unknown|exactly/);
  });

  const safe = (text: string): boolean => text.startsWith('/safe/');
  it.each<[string, unknown, RegExp]>([
    ['zod refine', z.object({ x: z.string().refine(safe) }), /refine at \/properties\/x/],
    ['zod refine of the whole', z.object({ x: z.string() }).refine(({ x }) => safe(x)), /refine at the top level/],
    ['zod superRefine', z.object({ x: z.array(z.string().superRefine(() => {})) }), /refine at \/properties\/x\/items/],
    [
      'zod pipe',
      z.object({
        x: z
          .string()
          .transform((s) => s.trim())
          .pipe(z.string()),
      }),
      /transform at/,
    ],
    ['zod trim', z.object({ x: z.string().trim() }), /overwrite at/],
    ['zod httpUrl', z.object({ x: z.httpUrl() }), /the format url at/],
    ['zod flags', z.object({ x: z.string().regex(/^a/i) }), /the pattern \/\^a\/i at/],
    ['zod lazy', z.lazy(() => z.object({ x: z.string().refine(safe) })), /refine at/],
    ['zod mini', mini.object({ x: mini.string().check(mini.refine(safe)) }), /refine at/],
    ['zod 3', z3.object({ x: z3.string().refine(safe) }), /refine at/],
    ['zod 3 transform', z3.object({ x: z3.string().transform(Number) }), /transform at/],
    ['arktype narrow', type({ x: type('string').narrow(safe) }), /a predicate/],
    ['arktype morph', type({ x: 'string.numeric.parse' }), /a morph/],
    [
      'Effect filter',
      Effect.toStandardJSONSchemaV1(Effect.Struct({ x: Effect.String.check(Effect.makeFilter(safe)) })),
      /a filter/,
    ],
    [
      'Effect transformation',
      Effect.toStandardJSONSchemaV1(Effect.Struct({ x: Effect.NumberFromString })),
      /a transformation/,
    ],
    ['TypeBox Refine', Type.Object({ x: Type.Refine(Type.String(), safe) }), /Refine/],
  ])('a capability refuses %s, which nothing would run', (_, args, words) => {
    expect(messageOf(() => capability(args))).toMatch(words);
  });

  it.each<[string, unknown]>([
    ['zod', z.object({ x: z.string().refine(safe) })],
    ['zod 3', z3.object({ x: z3.string().refine(safe) })],
    ['arktype', type({ x: type('string').narrow(safe) })],
    [
      'Effect',
      Effect.toStandardSchemaV1(
        Effect.toStandardJSONSchemaV1(Effect.Struct({ x: Effect.String.check(Effect.makeFilter(safe)) })),
      ),
    ],
  ])('a tool takes a check of %s', (_, args) => {
    expect(messageOf(() => tool(args))).toBe('taken');
  });

  it('a tool refuses a check that no standard validate runs', () => {
    expect(messageOf(() => tool(Type.Object({ x: Type.Refine(Type.String(), safe) })))).toMatch(/Refine/);
  });

  it('zod without a conversion of its own gives the bounds, unions, records and references', () => {
    const tree = mini.object({
      get kids() {
        return mini.array(tree);
      },
      n: mini.int32(),
      u: mini.union([mini.null(), mini.literal('a')]),
    });
    expect(capability(tree)).toMatchObject({
      $ref: '#/$defs/type1',
      $defs: {
        type1: {
          required: ['kids', 'n', 'u'],
          additionalProperties: false,
          properties: { kids: { items: { $ref: '#/$defs/type1' } } },
        },
      },
    });
    const old = z3.object({
      s: z3.string().min(1).max(9).startsWith('a.'),
      e: z3.nativeEnum({ A: 0, 0: 'A', B: 'b' }),
      r: z3.record(z3.number().int()),
      t: z3.tuple([z3.string()]),
      l: z3.literal(1).nullable(),
      a: z3.array(z3.string()).min(1),
      p: z3.object({}).passthrough().default({}),
    });
    expect(capability(old)).toMatchObject({
      required: ['s', 'e', 'r', 't', 'l', 'a'],
      properties: {
        s: { minLength: 1, maxLength: 9, pattern: '^a\\.' },
        e: { enum: [0, 'b'] },
        t: { minItems: 1, items: false },
        a: { minItems: 1 },
        p: { additionalProperties: {} },
      },
    });
  });
});
