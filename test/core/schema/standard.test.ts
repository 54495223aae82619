import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toJsonSchema } from '../../../core/schema/standard.ts';
import { realmChecks } from './realm.ts';

function made(source: unknown): unknown {
  const outcome = toJsonSchema(source);
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value;
}

const rule = (source: unknown): unknown => {
  const outcome = toJsonSchema(source);
  return outcome.ok ? 'accepted' : outcome.refusal.details['rule'];
};

async function accepts(source: unknown, value: unknown): Promise<boolean> {
  const [check] = await realmChecks([made(source)]);
  return check?.(JSON.stringify(value)).length === 0;
}

describe('a plain JSON Schema', () => {
  it('a plain JSON Schema is taken as it is, and an open object stays open', () => {
    const schema = { type: 'object', properties: { a: {} } };
    expect(made(schema)).toBe(schema);
  });

  it.each([[undefined], [null], [1], ['{}'], [[]], [true]])('the value %j is refused as a JSON Schema', (value) => {
    expect(rule(value)).toBe('not_schema');
  });
});

describe('a schema of zod', () => {
  const mail = z.object({
    to: z.array(z.email()).min(1),
    subject: z.string().max(10).optional(),
    when: z.iso.datetime().optional(),
    kind: z.enum(['plain', 'rich']).default('plain'),
    ids: z.array(z.uuid()),
  });

  it('a zod schema checks types, formats, bounds and enums', async () => {
    const good = { to: ['a@b.example'], ids: ['123e4567-e89b-12d3-a456-426614174000'], when: '2026-11-21T08:00:00Z' };
    expect(await accepts(mail, good)).toBe(true);
    expect(await accepts(mail, { ...good, to: [] })).toBe(false);
    expect(await accepts(mail, { ...good, to: ['nobody'] })).toBe(false);
    expect(await accepts(mail, { ...good, when: 'yesterday' })).toBe(false);
    expect(await accepts(mail, { ...good, kind: 'other' })).toBe(false);
  });

  it('a zod object is closed, also below the root, where zod would drop unknown members', async () => {
    const outer = z.object({
      inner: z.object({ a: z.number() }),
      either: z.union([z.object({ b: z.string() }), z.null()]),
    });
    const good = { inner: { a: 1 }, either: { b: 'x' } };
    expect(await accepts(outer, good)).toBe(true);
    expect(await accepts(outer, { ...good, more: 1 })).toBe(false);
    expect(await accepts(outer, { ...good, inner: { a: 1, more: 1 } })).toBe(false);
    expect(await accepts(outer, { ...good, either: { b: 'x', more: 1 } })).toBe(false);
  });

  it('a loose zod object and a zod record stay open', async () => {
    expect(await accepts(z.looseObject({ a: z.number() }), { a: 1, more: 1 })).toBe(true);
    expect(await accepts(z.record(z.string(), z.number()), { a: 1, more: 1 })).toBe(true);
  });

  it('a zod intersection is closed as a whole', async () => {
    const both = z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() }));
    expect(await accepts(both, { a: 1, b: 2 })).toBe(true);
    expect(await accepts(both, { a: 1, b: 2, c: 3 })).toBe(false);
  });

  it('a zod schema may refer to itself', async () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    expect(await accepts(tree, { name: 'a', children: [{ name: 'b', children: [] }] })).toBe(true);
    expect(await accepts(tree, { name: 'a', children: [{ name: 1, children: [] }] })).toBe(false);
    expect(await accepts(tree, { name: 'a', children: [{ name: 'b', children: [], more: 1 }] })).toBe(false);
  });

  it('a zod schema that JSON Schema cannot express is refused with the reason', () => {
    const outcome = toJsonSchema(z.object({ at: z.date() }));
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'schema_refused', details: { rule: 'library' } } });
    expect(outcome.ok ? '' : outcome.refusal.message).toMatch(/Date/);
  });
});

describe('a schema of another library', () => {
  it('a schema of a library may be a function, as in arktype', () => {
    const type = Object.assign(() => true, { '~standard': { jsonSchema: { input: () => ({ type: 'string' }) } } });
    expect(made(type)).toEqual({ type: 'string' });
  });

  it('a schema of a library may have a method toJSONSchema', () => {
    expect(made({ toJSONSchema: () => ({ type: 'null' }) })).toEqual({ type: 'null' });
  });

  it('a schema of a library is asked for draft 2020-12', () => {
    const jsonSchema = { input: (options: unknown) => ({ const: options }) };
    expect(made({ '~standard': { jsonSchema } })).toEqual({ const: { target: 'draft-2020-12' } });
  });

  it.each<[string, unknown]>([
    ['has only validate', { '~standard': { version: 1, validate: () => ({ value: 1 }) } }],
    [
      'throws',
      {
        toJSONSchema: () => {
          throw new Error('no');
        },
      },
    ],
    ['gives a boolean', { toJSONSchema: () => true }],
    ['gives undefined', { toJSONSchema: () => undefined }],
    [
      'gives a value that contains itself',
      {
        toJSONSchema: () => {
          const loop: { a?: unknown } = {};
          loop.a = loop;
          return loop;
        },
      },
    ],
  ])('a schema of a library is refused when it %s', (_, source) => {
    expect(rule(source)).toBe('library');
  });
});
