import { describe, expect, test } from 'vitest';
import type { ToolRow } from '../../../../workers/api.ts';
import { fromFunctions } from '../../../../workers/bridges/models/functions.ts';
import { type FunctionShapes, toFunctions } from '../../../../workers/bridges/models/shapes.ts';

const ARGS = {
  type: 'object',
  properties: { id: { oneOf: [{ type: 'string' }, { type: 'integer', multipleOf: 2 }] } },
  required: ['id'],
  additionalProperties: false,
} as const;
const row = (name: string, more: Partial<ToolRow> = {}): ToolRow => ({
  name,
  version: '1.0.0',
  description: `Does ${name}.`,
  args: ARGS,
  effect: 'read',
  labels: [],
  hash: '',
  ...more,
});
const NAMES = Object.keys({ openai: 0, anthropic: 0, gemini: 0, mcp: 0 }) as readonly (keyof FunctionShapes)[];
const nameOf = (each: FunctionShapes[keyof FunctionShapes]) => ('function' in each ? each.function.name : each.name);

describe('function declarations of tools', () => {
  test('each shape has its own members', () => {
    const rows = [row('files.read', { result: { type: 'object' } })];
    const loose = { ...ARGS, properties: { id: { anyOf: ARGS.properties.id.oneOf } } };
    const description = 'Does files.read.';
    expect(toFunctions(rows, 'openai').functions).toEqual([
      { type: 'function', function: { name: 'files_read', description, parameters: loose, strict: false } },
    ]);
    expect(toFunctions(rows, 'anthropic').functions).toEqual([
      { name: 'files_read', description, input_schema: loose },
    ]);
    const [gemini] = toFunctions(rows, 'gemini').functions;
    expect(gemini).toMatchObject({ name: 'files_read', description, parametersJsonSchema: { type: 'object' } });
    expect(JSON.stringify(gemini)).not.toMatch(/oneOf|multipleOf/);
    expect(toFunctions(rows, 'mcp').functions).toEqual([
      {
        name: 'files_read',
        title: 'files.read',
        description,
        inputSchema: ARGS,
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      },
    ]);
  });

  test('a result that is no object has no schema in MCP', () => {
    const [only] = toFunctions([row('a', { result: { type: 'number' } })], 'mcp').functions;
    expect(only).not.toHaveProperty('outputSchema');
  });

  test.each(NAMES)('a thousand names in the shape %s fit its rule, and each comes back', (shape) => {
    const given = Array.from({ length: 1000 }, (_, nth) => `${'.'.repeat(60)}${nth}`).concat('__proto__', 'a.b', 'a_b');
    const { functions, names } = toFunctions(
      given.map((name) => row(name)),
      shape,
    );
    const theirs = functions.map(nameOf);
    expect(new Set(theirs).size).toBe(given.length);
    for (const each of theirs) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(theirs.map(names.ours)).toEqual(given);
  });

  test.each(NAMES)('a declaration in the shape %s is an object at its root, also of arguments of any type', (shape) => {
    const { functions } = toFunctions([row('a', { args: {} }), row('b', { args: { anyOf: [ARGS, ARGS] } })], shape);
    const { tools, refused } = fromFunctions(functions, () => null);
    expect([tools.map(({ args }) => args['type']), refused]).toEqual([['object', 'object'], []]);
  });

  test('an unknown shape throws', () => {
    for (const shape of ['cohere', '__proto__'])
      expect(() => toFunctions([], shape as 'mcp')).toThrow(expect.objectContaining({ code: 'option_invalid' }));
  });
});
