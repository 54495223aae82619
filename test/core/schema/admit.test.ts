import { expect, test } from 'vitest';
import type { JsonValue } from '../../../core/json/value.ts';
import { CAPABILITY_LIMITS } from '../../../core/limits.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { lint, schemaText } from '../../../core/schema/lint.ts';
import { admittedFrom, COMPILE_LIMITS, type CompiledSchema } from '../../../sandbox/index.ts';
import { compiled, compiler } from './realm.ts';

/** Imitates a kernel with a schema that is registered: only the text of the schema is read outside of the realm. */
async function admit(schema: JsonValue): Promise<Outcome<CompiledSchema>> {
  const read = schemaText(schema);
  if (!read.ok) return read;
  const { realm } = await compiler();
  return admittedFrom(read.value.hash, realm.call('admit', read.value.text, COMPILE_LIMITS));
}

const nested = (levels: number): JsonValue =>
  levels === 1 ? { type: 'object' } : { type: 'object', properties: { a: nested(levels - 1) } };

const REFUSED: { readonly [what: string]: JsonValue } = {
  'a list': [],
  'a misspelt keyword': { additionalproperties: false },
  'a remote reference': { $ref: 'https://example.org/x' },
  'a reference without a target': { $ref: '#/$defs/none' },
  'an endless reference': { $ref: '#' },
  'a member called __proto__': JSON.parse('{"const": {"__proto__": 1}}') as JsonValue,
  'a malformed pattern': { pattern: '(' },
  'an unknown format': { format: 'shoe-size' },
  'too many levels': nested(CAPABILITY_LIMITS.schemaDepth + 1),
  'too many bytes': { description: 'x'.repeat(CAPABILITY_LIMITS.schemaBytes) },
};

test.each(Object.entries(REFUSED))('the realm refuses %s with the refusal of the linter', async (_, schema) => {
  const expected = lint(schema);
  expect(expected.ok).toBe(false);
  expect(await admit(schema)).toEqual(expected);
});

const ACCEPTED: { readonly [what: string]: JsonValue } = {
  'every level that is allowed': nested(CAPABILITY_LIMITS.schemaDepth),
  'a pattern in Greek': { pattern: '^\\p{Script=Greek}+$' },
  'a recursive list': { $defs: { list: { items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' },
  'yes and no': { properties: { yes: true, no: false } },
};

test.each(Object.entries(ACCEPTED))('the realm compiles %s to the schema of the linter', async (_, schema) => {
  const outcome = await admit(schema);
  expect(outcome).toEqual({ ok: true, value: await compiled(schema) });
});

test('a pattern that nests too deeply for the realm is refused, and the next schema is accepted', async () => {
  const deep = { pattern: `${'('.repeat(20_000)}${')'.repeat(20_000)}` };
  expect(await admit(deep)).toMatchObject({ ok: false, refusal: { class: 'definition', code: 'schema_refused' } });
  expect(await admit({ type: 'string' })).toMatchObject({ ok: true });
});
