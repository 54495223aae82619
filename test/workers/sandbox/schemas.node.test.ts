import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { schemaHash } from '../../../core/capability/define.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { buildRealm, type Engine, type Realm } from '../../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';
import type { SchemaPort } from '../../../workers/ports.ts';
import type { RealmPort } from '../../../workers/sandbox/pool.ts';
import { realmSchemas, SchemaMemory } from '../../../workers/sandbox/schemas.ts';
import { engine } from '../../sandbox/guest.ts';
import { UNCOMPILABLE } from '../../schemas.ts';

const number = (minimum: number): JsonObject => ({ type: 'number', multipleOf: minimum + 1 });
const HOSTILE: JsonObject = { pattern: '^(a+)+$' };
const HOSTILE_TEXT = JSON.stringify(`${'a'.repeat(32)}!`);
const YES = { issues: [] };

let made: Engine;
beforeAll(async () => {
  made = await engine();
});

/** Realms in this thread, and each use of them. */
class CountedRealms implements RealmPort {
  readonly uses: string[] = [];
  readonly built = new Map<string, Realm>();
  /** Entries that end as if their worker was killed. */
  readonly lost = new Set<string>();

  build: RealmPort['build'] = async (id, source, limits) => {
    this.uses.push(id === 'schema-compiler' ? 'build compiler' : 'build checker');
    const realm = this.built.get(id) ?? buildRealm(made, source, limits);
    this.built.set(id, realm);
    return { imageHash: realm.imageHash };
  };

  call: RealmPort['call'] = async (id, entry, text) => {
    this.uses.push(entry);
    const realm = this.built.get(id);
    if (realm === undefined) throw new Error(`no realm ${id}`);
    return this.lost.has(entry) ? { ok: false, kind: 'hang' } : realm.call(entry, text);
  };

  drop: RealmPort['drop'] = (id) => {
    this.uses.push('drop');
    this.built.delete(id);
  };

  taken(): readonly string[] {
    return this.uses.splice(0);
  }
}

let realms: CountedRealms;
let port: SchemaPort;
const scripts = async () => ({ compiler: SCHEMA_COMPILER, checker: SCHEMA_CHECKER });
beforeEach(() => {
  realms = new CountedRealms();
  port = realmSchemas(realms, scripts);
});

async function registered(...schemas: readonly JsonObject[]): Promise<readonly string[]> {
  const all = await Promise.all(schemas.map((schema) => port.register(schema)));
  realms.taken();
  return all.map((each) => (each.ok ? each.value : ''));
}

describe('a registration', () => {
  test('schemas that are registered together are judged in a single call, and none is compiled', async () => {
    const schemas = [0, 1, 2].map(number);
    const all = await Promise.all(schemas.map((schema) => port.register(schema)));
    expect(all).toEqual(schemas.map((schema) => ({ ok: true, value: schemaHash(schema) })));
    expect(realms.taken()).toEqual(['build compiler', 'judgeAll']);
  });

  test('a refused schema is refused with its place, and the schemas judged with it are admitted', async () => {
    const all = await Promise.all([number(1), { maximumLength: 3 }, number(2)].map((each) => port.register(each)));
    expect(all.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(all[1]).toMatchObject({
      refusal: { code: 'schema_refused', pointer: '/maximumLength', details: { rule: 'unknown_keyword' } },
    });
  });

  test('a schema that was admitted is not judged again', async () => {
    await registered(number(1));
    await port.register(number(1));
    expect(realms.taken()).toEqual([]);
  });

  test('schemas of a call without an answer are judged one by one', async () => {
    await registered(number(0));
    realms.lost.add('judgeAll');
    const all = await Promise.all([number(1), number(2)].map((each) => port.register(each)));
    expect(realms.taken()).toEqual(['judgeAll', 'judgeAll', 'judgeAll']);
    expect(all).toMatchObject([
      { refusal: { code: 'schema_refused', details: { rule: 'compile' } } },
      { refusal: { code: 'schema_refused', details: { rule: 'compile' } } },
    ]);
  });
});

describe('a check', () => {
  test('the first check compiles a schema, and later checks do not', async () => {
    const [hash = ''] = await registered(number(1));
    expect(await port.check([hash], '4')).toEqual(new Map([[hash, YES]]));
    expect(realms.taken()).toEqual(['admit', 'build checker', 'check']);
    expect((await port.check([hash], '3')).get(hash)).toMatchObject({ issues: [{ keyword: 'multipleOf' }] });
    expect(realms.taken()).toEqual(['check']);
  });

  test('a text is checked by all its schemas in a single call', async () => {
    const hashes = await registered(...Array.from({ length: 12 }, (_, at) => number(at)));
    const said = await port.check(hashes, '6');
    expect(realms.taken().filter((use) => use.startsWith('check'))).toEqual(['checkAll']);
    const accepting = hashes.flatMap((hash, at) =>
      (said.get(hash) as typeof YES).issues.length === 0 ? [at + 1] : [],
    );
    expect(accepting).toEqual([1, 2, 3, 6]);
  });

  test('a schema of a later check is compiled with the first check, and has no verdict', async () => {
    const [args = '', result = ''] = await registered(number(1), number(2));
    expect([...(await port.check([args], '2', [result])).keys()]).toEqual([args]);
    realms.taken();
    await port.check([result], '3');
    expect(realms.taken()).toEqual(['check']);
  });

  test('a schema that reaches its limit leaves the verdicts of the others as they are alone', async () => {
    const [hostile = '', plain = '', other = ''] = await registered(HOSTILE, { minLength: 3 }, { maxLength: 3 });
    const said = await port.check([hostile, plain, other], HOSTILE_TEXT);
    expect(said.get(hostile)).toEqual((await port.check([hostile], HOSTILE_TEXT)).get(hostile));
    expect(said.get(hostile)).toMatchObject({ failed: 'fuel', limit: 10_000_000 });
    expect(said.get(plain)).toEqual(YES);
    expect(said.get(other)).toMatchObject({ issues: [{ keyword: 'maxLength' }] });
  });

  test('a schema that does not compile is admitted, and refused by each check', async () => {
    const [bad = '', good = ''] = await registered(UNCOMPILABLE, number(1));
    expect(bad).not.toBe('');
    const refused = { failed: 'refused' };
    expect(await port.check([bad, good], '2')).toEqual(
      new Map<string, object>([
        [bad, refused],
        [good, YES],
      ]),
    );
    realms.taken();
    expect(await port.check([good], '2', [bad])).toEqual(
      new Map<string, object>([
        [bad, refused],
        [good, YES],
      ]),
    );
    expect(realms.taken()).not.toContain('admit');
  });

  test('a compiler that is lost gives no verdict, and is asked again once', async () => {
    const [hash = ''] = await registered(number(1));
    realms.lost.add('admit');
    expect((await port.check([hash], '2')).get(hash)).toEqual({ failed: 'lost' });
    realms.lost.clear();
    expect((await port.check([hash], '2')).get(hash)).toEqual(YES);
    const [other = ''] = await registered(number(2));
    realms.lost.add('admit');
    await port.check([other], '2');
    expect((await port.check([other], '2')).get(other)).toEqual({ failed: 'refused' });
  });

  test('a schema that nobody registered has no verdict', async () => {
    const hash = 'f'.repeat(64);
    expect(await port.check([hash], '1')).toEqual(new Map([[hash, { failed: 'lost' }]]));
  });
});

describe('a schema that only compares', () => {
  const closed = { type: 'object', properties: { a: { maxLength: 2 } }, additionalProperties: false } as const;

  test('a value that it accepts is accepted without a realm', async () => {
    const [hash = ''] = await registered(closed);
    expect(await port.check([hash], '{"a":"xy"}')).toEqual(new Map([[hash, YES]]));
    expect(realms.taken()).toEqual([]);
  });

  test('its validator names the issues of a value that it refuses', async () => {
    const [hash = ''] = await registered(closed);
    const said = (await port.check([hash], '{"a":"xyz"}')).get(hash);
    expect(said).toMatchObject({ issues: [{ pointer: '/a', keyword: 'maxLength' }] });
    expect(realms.taken()).toContain('check');
  });

  test('a long value is left to its validator, which has limits', async () => {
    const [hash = ''] = await registered({ type: 'string' });
    expect(await port.check([hash], JSON.stringify('x'.repeat(20_000)))).toEqual(new Map([[hash, YES]]));
    expect(realms.taken()).toContain('check');
  });
});

describe('the images of validators', () => {
  test('small groups share an image, and an image in use is dropped after its last check', async () => {
    const [one = '', two = ''] = await registered(number(1), number(2));
    await port.check([one], '2');
    const both = await Promise.all([port.check([one], '2'), port.check([two], '3')]);
    expect(both.map((said) => [...said.values()])).toEqual([[YES], [YES]]);
    expect(realms.built.size).toBe(2);
    realms.taken();
    await Promise.all([port.check([one], '2'), port.check([two], '3')]);
    expect(realms.taken()).toEqual(['check', 'check']);
  });

  test('a group that fills an image has an image of its own', async () => {
    const wide = (at: number): JsonObject => ({
      properties: Object.fromEntries(
        Array.from({ length: 150 }, (_, each) => [`p${each}`, { maxLength: each + at, pattern: '^' }]),
      ),
    });
    const [one = '', two = ''] = await registered(wide(1), wide(2));
    await port.check([one], '{"p0":"a"}');
    await port.check([two], '{"p0":"a"}');
    expect([...realms.built.keys()].filter((id) => id !== 'schema-compiler')).toHaveLength(2);
  });
});

test('ports with a common memory judge and compile a schema once', async () => {
  const memory = new SchemaMemory();
  const [one, two] = [realmSchemas(realms, scripts, memory), realmSchemas(realms, scripts, memory)];
  const hash = schemaHash(number(1));
  for (const each of [one, two]) {
    await each.register(number(1));
    expect(await each.check([hash], '2')).toEqual(new Map([[hash, YES]]));
  }
  const uses = realms.taken();
  expect(uses.filter((use) => ['judgeAll', 'admit', 'build compiler'].includes(use))).toHaveLength(3);
});
