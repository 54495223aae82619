import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Effect from 'effect/Schema';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { defineCapability, definePower, importSchema, SallyportError } from '../../../core/index.ts';

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
    ['zod mini', z.toJSONSchema(mini.object({ text: mini.string(), times: mini.optional(mini.number()) }))],
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
    ['zod 3', z3.object({ text: z3.string() }), /use zod 4\.2 or later/],
    ['zod mini', mini.object({ text: mini.string() }), /write z\.toJSONSchema\(schema\)/],
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
