import { describe, expect, test } from 'vitest';
import { define } from '../../../core/capability/define.ts';
import { CALL_LIMITS, isObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { lint } from '../../../core/schema/lint.ts';
import { BUILT_IN, withFiles } from '../../../sandbox/capabilities/index.ts';
import { validator } from './ajv.ts';
import { CAPABILITIES, capability, load } from './guest.ts';

describe('the schemas of built-in capabilities', () => {
  test.each(
    BUILT_IN.flatMap(
      ({ name, args, result }) =>
        [
          [name, 'args', args],
          [name, 'result', result],
        ] as const,
    ),
  )(
    'the schema of %s: %s compiles under the strict rules of ajv 2020 and of our own linter',
    (_name, _which, schema) => {
      expect(schema).toBeDefined();
      expect(() => validator(schema ?? {})).not.toThrow();
      expect(lint(schema)).toMatchObject({ ok: true });
    },
  );

  test('the built-in schemas do not depend on the files of the capabilities', () => {
    expect(BUILT_IN).toEqual(CAPABILITIES.map(({ name, args, result }) => ({ name, args, result })));
  });

  test('the schemas close each object, and bound each list and text of the arguments', () => {
    for (const { args, result } of BUILT_IN) {
      for (const schema of schemasIn(args)) expect(looseness(schema)).toEqual([]);
      for (const schema of schemasIn(result ?? {})) expect(looseness(schema)).not.toContain('open object');
    }
  });

  test('the schemas refuse an unknown argument', () => {
    for (const { args } of BUILT_IN) expect(validator(args)({ nobody_knows_me: 1 })).toBe(false);
  });

  test.each<[string, JsonObject, string]>([
    ['csv.query', { path: 'a.csv', text: 'a\n' }, 'a path and a text at once'],
    ['csv.query', {}, 'neither a path nor a text'],
    ['csv.query', { path: 'a.csv', where: [{ column: 'a', op: 'like', value: '%' }] }, 'an unknown comparison'],
    ['csv.query', { path: 'a.csv', select: [] }, 'no columns'],
    ['json.pick', { pointer: '' }, 'no document'],
    ['corpus.read', { path: 'a.md' }, 'no slice'],
    ['calendar.find', {}, 'no question'],
    ['calendar.add', { date: '2025-12-01', time: '24:00', title: 'x' }, 'an hour that no clock has'],
    ['notes.put', { name: '../x', text: 'x' }, 'a path for a name'],
    ['notes.put', { name: 'x', text: '' }, 'an empty note'],
    ['flour.forecast', { flour: 'rye', loaves_per_day: '60' }, 'a text for a number'],
    ['unit.convert', { value: 1, from: 'stone', to: 'kg' }, 'an unknown unit'],
    ['date.shift', { date: '2025-1-1' }, 'a date without its noughts'],
    ['text.diff', { before: { path: 'a' }, after: {} }, 'half a comparison'],
  ])('the schema of %s refuses %o: %s', (name, args) => {
    expect(validator(capability(name).args)(args)).toBe(false);
  });
});

describe('the manifests of built-in capabilities', () => {
  test.each(CAPABILITIES.map((one) => [one.name, one] as const))(
    'the manifest of %s is a definition that the registry accepts',
    (_, one) => {
      expect(define(one)).toMatchObject({ ok: true, value: { manifest: one } });
    },
  );

  test('the manifests use no power, and no limit above the default except fuel and deadline', () => {
    for (const { powers, limits } of CAPABILITIES) {
      expect(powers).toEqual([]);
      for (const [name, value] of Object.entries(limits)) {
        if (name !== 'fuel' && name !== 'deadlineMs')
          expect(value).toBeLessThanOrEqual(CALL_LIMITS[name as keyof typeof CALL_LIMITS]);
      }
    }
  });

  test('each built-in capability has its own name', () => {
    expect(new Set(CAPABILITIES.map(({ name }) => name)).size).toBe(16);
  });

  test('a built-in capability has the effect read when it carries files, and pure without files', () => {
    const bare = withFiles({});
    for (const name of ['csv.query', 'table.describe', 'json.pick', 'text.diff', 'text.count']) {
      expect(capability(name).effect).toBe('read');
      expect(bare.find((one) => one.name === name)?.effect).toBe('pure');
    }
  });

  test('the manifests do not depend on the order in which files are given', () => {
    const [one, two] = [withFiles({ 'a.md': '1', 'b.md': '2' }), withFiles({ 'b.md': '2', 'a.md': '1' })];
    expect(one).toEqual(two);
  });

  test('corpus.read carries a file called __proto__ and a text that tries to end its literal', async () => {
    const text = '");throw 1//`${1}\u2028\\"\n';
    const files = JSON.parse(`{"__proto__": ${JSON.stringify(text)}}`) as Record<string, string>;
    const read = withFiles(files).find(({ name }) => name === 'corpus.read');
    const guest = await load(read ?? { source: '' });
    expect(await guest({ path: '__proto__', slice: 'head(1)' })).toMatchObject({ text });
  });

  test('each capability carries only the files that it needs', () => {
    const paths = ['calendar.json', 'invoices.csv', 'notes/rye.md', 'other.json', 'recipe.md', 'stock.json'];
    const some = withFiles(Object.fromEntries(paths.map((path) => [path, `this is ${path}`])));
    const carried = some.map(({ name, source }) => [name, paths.filter((path) => source.includes(`this is ${path}`))]);
    expect(Object.fromEntries(carried.filter(([, found]) => found?.length !== 0))).toEqual({
      'corpus.search': paths,
      'corpus.read': paths,
      'csv.query': ['invoices.csv'],
      'table.describe': ['invoices.csv'],
      'json.pick': ['calendar.json', 'other.json', 'stock.json'],
      'text.diff': ['notes/rye.md', 'recipe.md'],
      'text.count': ['notes/rye.md', 'recipe.md'],
      'notes.get': ['notes/rye.md'],
      'calendar.find': ['calendar.json'],
      'flour.forecast': ['stock.json'],
    });
  });

  test('no source of a built-in capability imports a module', () => {
    for (const { source } of CAPABILITIES) expect(source).not.toMatch(/^\s*import\b|\bimport\(/m);
  });
});

function schemasIn(value: JsonValue): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(schemasIn)] : [];
}

/** The objects, lists, texts and numbers that a schema leaves unbounded. */
function looseness(schema: JsonObject): string[] {
  const faults = [
    schema['type'] === 'object' && schema['additionalProperties'] !== false && 'open object',
    schema['type'] === 'array' && schema['maxItems'] === undefined && 'endless list',
    schema['type'] === 'string' &&
      schema['maxLength'] === undefined &&
      schema['pattern'] === undefined &&
      'endless text',
    (schema['type'] === 'number' || schema['type'] === 'integer') &&
      schema['maximum'] === undefined &&
      'endless number',
  ];
  return faults.filter((fault) => fault !== false);
}
