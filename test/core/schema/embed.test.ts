import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { define } from '../../../core/capability/define.ts';
import { makePolicy } from '../../../core/capability/policy.ts';
import { makeRegistry } from '../../../core/capability/registry.ts';
import { CONTENT_CAPABILITIES } from '../../../core/content/built-in.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import type { Dialect } from '../../../core/protocol/dialect.ts';
import { proposalSchema } from '../../../core/run/opening.ts';
import { initialState } from '../../../core/run/state.ts';
import { lint } from '../../../core/schema/lint.ts';
import { toJsonSchema } from '../../../core/schema/standard.ts';
import { facts } from '../run/facts.ts';
import { checker } from '../schemas.ts';
import { must } from '../validator.ts';
import { schema, value } from './arbitrary.ts';
import { isValid } from './reference.ts';

const FORMS: { readonly [D in Dialect]: (name: string, args: unknown) => unknown } = {
  femtoclaw: (tool, args) => ({ tool_call: { tool, args } }),
  xct: (tool, args) => ({ next_step: { tool, arguments: args, goal: 'try' } }),
  catalytic: (name, args) => ({
    intent: 'try',
    refs: [`@TOOLS/${name}`],
    ops: [{ type: 'EXECUTE', target: `@TOOLS/${name}`, params: { args } }],
    budgets: { max_symbols: 1, max_sections: 1, max_bytes_expanded: 1, max_expands_per_step: 1 },
    required_outputs: [],
  }),
};

function offered(dialect: Dialect, schemas: { readonly [name: string]: unknown }): JsonObject {
  const all = Object.entries(schemas).map(([name, args]) =>
    must(define({ name, version: '1.0.0', description: '', effect: 'pure', args: args as JsonObject, source: '' })),
  );
  const known = dialect === 'catalytic' ? [...all, ...CONTENT_CAPABILITIES] : all;
  const policy = makePolicy(
    known.map(({ hash }) => hash),
    [],
  );
  return proposalSchema(initialState({ ...facts({ dialect }), registry: must(makeRegistry(known)), policy }));
}

const TREE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.org/tree',
  type: 'object',
  required: ['root'],
  additionalProperties: false,
  properties: { root: { $ref: '#/$defs/node' }, spare: { $ref: '#spare' }, again: { $ref: '#/properties/spare' } },
  $defs: {
    node: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
    },
    spare: { $anchor: 'spare', type: 'integer' },
  },
};

/** Uses the names of the definitions of the tree for other schemas. */
const LIST = {
  type: 'object',
  required: ['all'],
  properties: { all: { type: 'array', items: { $ref: '#/$defs/node' } }, self: { $ref: '#' } },
  $defs: { node: { type: 'integer' } },
};

describe('the schema of acceptable proposals', () => {
  const DIALECTS = Object.keys(FORMS) as Dialect[];

  test.each(DIALECTS)('the proposal schema of %s takes exactly the arguments of a recursive schema', (dialect) => {
    const check = checker(offered(dialect, { tree: TREE, list: LIST }));
    const fits = (name: string, args: JsonValue) => check(FORMS[dialect](name, args) as JsonValue).length === 0;
    expect(fits('tree', { root: { name: 'a', kids: [{ name: 'b', kids: [] }] }, spare: 1, again: 2 })).toBe(true);
    expect(fits('tree', { root: { name: 'a', kids: [{ name: 1 }] } })).toBe(false);
    expect(fits('tree', { root: { name: 'a' }, spare: 'one' })).toBe(false);
    expect(fits('tree', { root: { name: 'a' }, again: 'one' })).toBe(false);
    expect(fits('list', { all: [1, 2], self: { all: [3] } })).toBe(true);
    expect(fits('list', { all: [{ name: 'a' }] })).toBe(false);
    expect(fits('list', { all: [], self: { all: ['a'] } })).toBe(false);
  });

  test('the proposal schema takes recursive schemas of zod', () => {
    const node = z.strictObject({
      name: z.string(),
      get kids() {
        return z.array(node);
      },
    });
    const args = must(toJsonSchema(z.strictObject({ node, spare: node.optional() })));
    const check = checker(offered('xct', { one: args, two: args }));
    const fits = (name: string, given: JsonValue) => check(FORMS.xct(name, given) as JsonValue).length === 0;
    for (const name of ['one', 'two']) {
      expect(fits(name, { node: { name: 'a', kids: [{ name: 'b', kids: [] }] } })).toBe(true);
      expect(fits(name, { node: { name: 'a', kids: [{ name: 'b' }] } })).toBe(false);
    }
  });

  test('the proposal schema names no dialect, base or anchor, and holds definitions only at its root', () => {
    const text = JSON.stringify(offered('xct', { tree: TREE }).oneOf);
    expect(text).not.toMatch(/"\$(?:schema|id|anchor|defs)"/);
    expect(offered('xct', { plain: { type: 'object' } })).not.toHaveProperty('$defs');
  });

  test('the proposal schema leaves a member unchanged that only resembles a reference', () => {
    const args = { properties: { $defs: { const: { $ref: '#/$defs/x' } }, $ref: { type: 'string' } } };
    expect(JSON.stringify(offered('xct', { odd: args }))).toContain(JSON.stringify(args));
  });

  test('the proposal schema accepts as arguments exactly the values that the schema of the capability accepts', () => {
    const values = fc.sample(value, { numRuns: 30, seed: 20_261_122 });
    const both = fc.tuple(schema, schema).filter((all) => all.every((each) => lint(each).ok));
    fc.assert(
      fc.property(both, fc.constantFrom(...DIALECTS), ([one, two], dialect) => {
        const whole = offered(dialect, { one, two });
        for (const each of values) {
          expect(isValid(whole, FORMS[dialect]('one', each))).toBe(isValid(one, each));
          expect(isValid(whole, FORMS[dialect]('two', each))).toBe(isValid(two, each));
        }
      }),
      { numRuns: 100 },
    );
  });
});
