import { describe, expect, it } from 'vitest';
import type { SchemaVerdict } from '../../../core/capability/check.ts';
import { CAPABILITY_LIMITS } from '../../../core/limits.ts';
import { lint } from '../../../core/schema/lint.ts';
import { type CompiledSchema, SchemaChecker } from '../../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../../sandbox/schema/checker.generated.ts';
import { engine } from '../../sandbox/guest.ts';
import { compiled, compiler, linted, ruleOf } from './realm.ts';

const BENIGN = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };

/** Outcome of a schema: refused when registered, refused by the compiler, or accepted. */
async function fate(schema: unknown): Promise<string> {
  const outcome = lint(schema);
  if (!outcome.ok) return ruleOf(outcome.refusal);
  const result = (await compiler()).compile(outcome.value);
  return result.ok ? 'accepted' : result.refusal.message;
}

/**
 * Checks a value against a hostile schema, in an image with a benign schema that must give the right answer before and
 * after.
 */
async function check(schema: unknown, text: string): Promise<SchemaVerdict> {
  const [benign, hostile] = [await compiled(BENIGN), await compiled(schema)];
  const checker = new SchemaChecker(await engine(), SCHEMA_CHECKER, [benign, hostile]);
  expectRight(checker, benign);
  const checked = checker.check(hostile.hash, text);
  expectRight(checker, benign);
  return checked;
}

function expectRight(checker: SchemaChecker, benign: CompiledSchema): void {
  expect(checker.check(benign.hash, '{"a":1}')).toEqual({ issues: [] });
  expect(checker.check(benign.hash, '{"a":"1"}')).toMatchObject({ issues: [{ pointer: '/a', keyword: 'type' }] });
}

/** The compiler makes the same code as before the hostile schema. */
async function expectSameCompiler(): Promise<void> {
  expect((await compiled(BENIGN)).code).toBe(await code);
}
const code = compiled(BENIGN).then((one) => one.code);

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const twice = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] });
const nested = (count: number, wrap: (inner: unknown) => unknown): unknown =>
  times(count, () => 0).reduce<unknown>((inner) => wrap(inner), { type: 'string' });

describe('hostile schemas are refused when they are registered', () => {
  it.each<[string, unknown, string]>([
    ['a schema that is itself', { $ref: '#' }, 'endless'],
    ['schemas that are each other', { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#' } } }, 'endless'],
    ['a $dynamicRef loop', { $dynamicAnchor: 'a', $dynamicRef: '#a' }, 'dynamic_ref'],
    ['a $recursiveRef', { $recursiveRef: '#' }, 'dynamic_ref'],
    ['a remote reference', { $ref: 'https://example.com/?secret' }, 'remote_ref'],
    ['$data in a pattern', { properties: { a: { pattern: { $data: '1/b' } } } }, 'data_ref'],
    ['$async', { $async: true, type: 'string' }, 'async'],
    ['an enum of a megabyte', { enum: ['x'.repeat(1 << 20)] }, '"bytes"'],
    ['an alternation of 50,000', { pattern: times(50_000, (at) => `a${at}`).join('|') }, '"bytes"'],
    ['20,000 properties', { properties: Object.fromEntries(times(20_000, (at) => [`p${at}`, true])) }, '"bytes"'],
    ['1,200 properties', { properties: Object.fromEntries(times(1200, (at) => [`p${at}`, true])) }, '"properties"'],
    ['3,000 nested objects', nested(3000, (inner) => ({ properties: { a: inner } })), 'not_json'],
    ['40 nested objects', nested(30, (inner) => ({ items: { items: inner } })), '"levels of subschemas"'],
    ['200 nested groups', { pattern: `${'('.repeat(200)}a${')'.repeat(200)}` }, 'pattern'],
    ['a pattern that ends its string', { pattern: '")+process.exit()+("' }, 'pattern'],
  ])('a hostile schema is refused when it is registered: %s', async (_, schema, rule) => {
    expect(await fate(schema)).toBe(rule);
  });

  it('references that double 26 times are refused when the schema is registered', async () => {
    const $defs: { [name: string]: unknown } = { d26: true };
    for (let at = 0; at < 26; at++) $defs[`d${at}`] = twice(at + 1);
    expect(await fate({ ...twice(0), $defs })).toBe('branches');
  });
});

describe('hostile schemas are stopped at compilation', () => {
  const deep = nested(CAPABILITY_LIMITS.schemaDepth - 2, (inner) => ({
    oneOf: times(60, () => false).concat(inner as never),
  }));

  it('alternatives nested in alternatives reach a limit of the compiler', async () => {
    expect(await fate(deep)).toMatch(/limit: (stack|memory|fuel)/);
    await expectSameCompiler();
  });

  it('a reference chain of 1,000 is refused by the linter or reaches a limit of the compiler', async () => {
    const $defs = Object.fromEntries(times(1000, (at) => [`d${at}`, { not: { $ref: `#/$defs/d${at + 1}` } }]));
    const reason = await fate({ $ref: '#/$defs/d0', $defs: { ...$defs, d1000: true } });
    expect(reason).toMatch(/properties|limit: (stack|memory|fuel)/);
    await expectSameCompiler();
  });

  it('a pattern with an unknown Unicode property is accepted or refused by the compiler', async () => {
    // The linter knows Unicode 14 and the compiler is a second check. Neither lets a pattern pass that throws later.
    expect(await fate({ pattern: '^\\p{Script=Vithkuqi}$' })).toMatch(/accepted|compile/);
  });

  it('a pattern with too large a repeat count does not harm the compiler', async () => {
    expect(await fate({ pattern: '^(?:a{60000}){60000}$' })).toMatch(/accepted|limit|compiler/);
    await expectSameCompiler();
  });
});

describe('hostile schemas are stopped at the check', () => {
  it.each([
    ['^(a+)+$', 'a'.repeat(32)],
    ['^(a|a)*$', 'a'.repeat(32)],
    ['^(\\w*)*\\d$', 'a'.repeat(40)],
    ['^(?:a?){30}a{30}$', 'a'.repeat(29)],
    ['(?=(a+)+$)x', 'a'.repeat(32)],
  ])('the hostile pattern %s ends at the fuel limit of its check', async (pattern, text) => {
    const checked = await check({ pattern }, JSON.stringify(`${text}!`));
    expect(checked).toMatchObject({ failed: 'fuel', limit: 10_000_000 });
  });

  it('a hostile pattern of member names ends at the fuel limit of its check', async () => {
    const name = `${'a'.repeat(32)}!`;
    expect(
      await check({ patternProperties: { '^(a+)+$': { type: 'null' } } }, JSON.stringify({ [name]: 1 })),
    ).toMatchObject({
      failed: 'fuel',
    });
  });

  it('the same hostile pattern ends after the same fuel every time', async () => {
    const value = JSON.stringify('a'.repeat(30));
    const [one, two] = [await check({ pattern: '^(a+)+b' }, value), await check({ pattern: '^(a+)+b' }, value)];
    expect(one).toEqual(two);
  });

  it('10,000 branches on each of 10,000 items end at a limit of their check', async () => {
    const wide = (depth: number): unknown => ({
      anyOf: times(10, () => (depth === 0 ? { type: 'null' } : wide(depth - 1))),
    });
    const checked = await check({ items: wide(2) }, JSON.stringify(times(10_000, (at) => at)));
    expect(checked).toMatchObject({ failed: expect.stringMatching(/fuel|memory/) as string });
  });

  it('issues that do not fit into the memory end their check', async () => {
    const schema = { items: { allOf: times(60, () => ({ type: 'string' })) } };
    const checked = await check(schema, JSON.stringify(times(50_000, (at) => at)));
    expect(checked).toMatchObject({ failed: expect.stringMatching(/fuel|memory/) as string });
  });

  it('3,000 objects with uniqueItems are checked within the limits', async () => {
    expect(await check({ uniqueItems: true }, JSON.stringify(times(3000, (at) => ({ at, b: [at] }))))).toEqual({
      issues: [],
    });
  });

  it('values of the greatest depth are checked to the bottom', async () => {
    const schema = { properties: { a: { $ref: '#' } }, additionalProperties: false };
    expect(await check(schema, `${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`)).toEqual({ issues: [] });
    expect(await check(schema, `${'{"a":'.repeat(62)}{"b":1}${'}'.repeat(62)}`)).toMatchObject({
      issues: [{ keyword: 'additionalProperties' }],
    });
  });
});

describe('code in a schema is data', () => {
  const CODE = '"];}globalThis.pwned=1;while(true){}//\'`${globalThis.pwned=1}\u2028\n*/';

  it.each<[string, unknown, unknown]>([
    ['a property', { properties: { [CODE]: { type: 'string' } }, additionalProperties: false }, { [CODE]: 'x' }],
    ['a required name', { required: [CODE] }, { [CODE]: 1 }],
    [
      'a dependency',
      { dependentRequired: { [CODE]: [CODE] }, dependentSchemas: { [CODE]: { required: [CODE] } } },
      { [CODE]: 1 },
    ],
    [
      'a definition',
      {
        $ref: `#/$defs/${encodeURIComponent(CODE.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
        $defs: { [CODE]: { const: 1 } },
      },
      1,
    ],
    ['a constant', { const: { [CODE]: CODE } }, { [CODE]: CODE }],
    ['an enum', { enum: [CODE] }, CODE],
    ['a pattern', { pattern: '^"\\];\\}globalThis' }, CODE],
    ['an annotation', { title: CODE, $comment: CODE, default: CODE, examples: [CODE] }, 1],
  ])('code in a schema is data: in %s', async (_, schema, value) => {
    expect(await check(schema, JSON.stringify(value))).toEqual({ issues: [] });
    const refused = await check({ ...(schema as object), not: {} }, JSON.stringify(value));
    expect(refused).toMatchObject({ issues: [{ keyword: 'not' }] });
    expect('pwned' in globalThis).toBe(false);
    await expectSameCompiler();
  });

  it('code in $id is removed before the compiler reads the schema', () => {
    expect(linted({ $id: 'urn:x:%22);pwned()', type: 'string' }).plain).toEqual({ type: 'string' });
  });
});
