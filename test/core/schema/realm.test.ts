import { describe, expect, it } from 'vitest';
import { SchemaChecker } from '../../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../../sandbox/schema/checker.generated.ts';
import { engine } from '../../sandbox/guest.ts';
import { compiled, realmChecks } from './realm.ts';

const MAIL = {
  type: 'object',
  properties: {
    to: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 1, uniqueItems: true },
    subject: { type: 'string', minLength: 1, maxLength: 5 },
    price: { type: 'number', multipleOf: 0.01 },
  },
  required: ['to', 'subject'],
  additionalProperties: false,
};

async function issuesOf(schema: unknown, value: unknown) {
  const [check] = await realmChecks([schema]);
  return check?.(typeof value === 'string' ? value : JSON.stringify(value));
}

describe('a check', () => {
  it('a check accepts a valid value with an empty list of issues', async () => {
    expect(await issuesOf(MAIL, { to: ['a@b.example'], subject: 'Hi', price: 19.99 })).toEqual([]);
  });

  it('a check reports pointer, keyword and message of each issue, ordered by pointer', async () => {
    expect(await issuesOf(MAIL, { subject: '😀😀😀😀😀😀', to: ['x', 'x'], price: 0.001, 'c/c': 1 })).toEqual([
      { pointer: '/c~1c', keyword: 'additionalProperties', message: 'must NOT have additional properties' },
      { pointer: '/price', keyword: 'multipleOf', message: 'must be multiple of 0.01' },
      { pointer: '/subject', keyword: 'maxLength', message: 'must NOT have more than 5 characters' },
      { pointer: '/to', keyword: 'uniqueItems', message: 'must NOT have duplicate items: 0 and 1' },
      { pointer: '/to/0', keyword: 'format', message: 'must match format "email"' },
      { pointer: '/to/1', keyword: 'format', message: 'must match format "email"' },
    ]);
  });

  it('a check reports the same issues for any order of members', async () => {
    const issues = await issuesOf(MAIL, '{"a":1,"b":2,"c":3}');
    expect(await issuesOf(MAIL, '{"c":3,"b":2,"a":1}')).toEqual(issues);
  });

  it('a check reports at most twenty issues, each cut to 200 characters', async () => {
    const schema = { items: { enum: ['x'], pattern: 'a'.repeat(1000) } };
    const issues = await issuesOf(
      schema,
      Array.from({ length: 50 }, () => 'b'),
    );
    expect(issues).toHaveLength(20);
    expect(Math.max(...(issues ?? []).map(({ message }) => message.length))).toBe(200);
  });

  it('a check converts no value, fills in no default and removes no member', async () => {
    const schema = { properties: { n: { type: 'number', default: 1 } }, required: ['n'], additionalProperties: false };
    expect(await issuesOf(schema, { n: '1' })).toHaveLength(1);
    expect(await issuesOf(schema, {})).toHaveLength(1);
    expect(await issuesOf(schema, { n: 1, x: 1 })).toHaveLength(1);
  });

  it('a check knows no inherited member', async () => {
    expect(await issuesOf({ required: ['constructor', 'toString', '__proto__'] }, {})).toHaveLength(3);
    expect(await issuesOf({ properties: { valueOf: { type: 'string' } } }, {})).toEqual([]);
  });

  it('a check finds members that have the names of Object.prototype', async () => {
    const closed = { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false };
    expect(await issuesOf(closed, '{"a":1,"constructor":1,"toString":1,"__proto__":1}')).toHaveLength(3);
  });

  it.each(['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'])(
    'a check takes a member called %s as data',
    async (name) => {
      const object = `{"${name}":{"${name}":1}}`;
      expect(await issuesOf({ uniqueItems: true }, `[${object},{"a":1}]`)).toEqual([]);
      expect(await issuesOf({ uniqueItems: true }, `[${object},${object}]`)).toHaveLength(1);
      expect(await issuesOf({ enum: [{ a: 1 }] }, object)).toHaveLength(1);
      expect(await issuesOf({ const: {} }, object)).toHaveLength(1);
      expect(await issuesOf({ additionalProperties: { type: 'string' } }, object)).toHaveLength(1);
      expect(await issuesOf({ propertyNames: { maxLength: 3 } }, object)).toEqual([
        { pointer: `/${name}`, keyword: 'maxLength', message: 'must NOT have more than 3 characters' },
        { pointer: `/${name}`, keyword: 'propertyNames', message: 'property name must be valid' },
      ]);
    },
  );

  it('a check of uniqueItems compares values by type and content, also for names like __proto__', async () => {
    expect(await issuesOf({ items: { type: 'string' }, uniqueItems: true }, ['__proto__', '__proto__'])).toHaveLength(
      1,
    );
    expect(await issuesOf({ uniqueItems: true }, ['1', 1, true, 'true', null, 'null', [1], '[1]', {}, '{}'])).toEqual(
      [],
    );
  });

  it('a check calculates multiples exactly', async () => {
    const multiples = await realmChecks([
      { multipleOf: 0.1 },
      { multipleOf: 3 },
      { multipleOf: 1e-8 },
      { multipleOf: 0.01 },
    ]);
    const isMultiple = multiples.map((check) => (value: number) => check(String(value)).length === 0);
    expect([0.3, 0.7, 1e22, 0.35].map((value) => isMultiple[0]?.(value))).toEqual([true, true, true, false]);
    expect([3e21, 1e22, 0, -9].map((value) => isMultiple[1]?.(value))).toEqual([true, false, true, true]);
    expect([12391239123, 1e-9].map((value) => isMultiple[2]?.(value))).toEqual([true, false]);
    expect([19.99, 1.005, 4.35].map((value) => isMultiple[3]?.(value))).toEqual([true, false, true]);
  });
});

const FIRST = { type: 'string' };
const SECOND = { type: 'number' };

async function imageOf(schemas: readonly unknown[]): Promise<SchemaChecker> {
  return new SchemaChecker(await engine(), SCHEMA_CHECKER, await Promise.all(schemas.map(compiled)));
}

describe('a check image', () => {
  it('a check image is the same for the same registry, and differs for another registry', async () => {
    const [one, again, more] = [await imageOf([FIRST]), await imageOf([FIRST]), await imageOf([FIRST, SECOND])];
    expect(again.imageHash).toBe(one.imageHash);
    expect(more.imageHash).not.toBe(one.imageHash);
  });

  it('a check image has the recorded hash in every engine', async () => {
    expect((await imageOf([FIRST, MAIL])).imageHash).toMatchInlineSnapshot(
      `"57fea406f64e89c79a0c7b17fd27ec8469d39e98a7367201c7ef5c8024850ffa"`,
    );
  });

  it('a check image has no verdict for a schema that it does not hold', async () => {
    const checker = await imageOf([FIRST]);
    expect(checker.check((await compiled(SECOND)).hash, '1')).toEqual({ failed: 'lost' });
    expect(checker.check('', '1')).toEqual({ failed: 'lost' });
  });

  it('a check image has no verdict for a text that is not JSON', async () => {
    const checker = await imageOf([true]);
    const { hash } = await compiled(true);
    expect([checker.check(hash, '{'), checker.check(hash, '')]).toEqual([{ failed: 'lost' }, { failed: 'lost' }]);
    expect(checker.check(hash, '{}')).toEqual({ issues: [] });
  });

  it('a check image refuses the same schema twice', async () => {
    const one = await compiled(FIRST);
    const building = engine().then((ready) => new SchemaChecker(ready, SCHEMA_CHECKER, [one, one]));
    await expect(building).rejects.toThrow('registered before');
  });

  it('a check image takes no schema after it is built', async () => {
    const late = {
      hash: 'f'.repeat(64),
      code: '() => { guest.seal(); return () => { guest.register("x", () => 0) } }',
    };
    const checker = new SchemaChecker(await engine(), SCHEMA_CHECKER, [late]);
    expect(checker.check(late.hash, '1')).toEqual({ failed: 'lost' });
  });

  it('a check image does not accept a value when the validator throws, or answers yes with issues', async () => {
    const codes = {
      throws: '() => () => { throw new Error("no") }',
      truthy: '() => () => 1',
      nothing: '() => () => undefined',
      unsure: '() => { const v = () => true; v.errors = [{ instancePath: "", keyword: "k", message: "m" }]; return v }',
    };
    const schemas = Object.values(codes).map((code, at) => ({ hash: String(at).padStart(64, '0'), code }));
    const checker = new SchemaChecker(await engine(), SCHEMA_CHECKER, schemas);
    for (const { hash } of schemas) expect(checker.check(hash, '1')).not.toEqual({ issues: [] });
  });

  it('a check image has no verdict when the guest answers with a value that is no list of issues', async () => {
    const code = '() => { JSON.stringify = () => "[{}]"; return () => true }';
    const checker = new SchemaChecker(await engine(), SCHEMA_CHECKER, [{ hash: 'e'.repeat(64), code }]);
    expect(checker.check('e'.repeat(64), '1')).toEqual({ failed: 'lost' });
  });
});
