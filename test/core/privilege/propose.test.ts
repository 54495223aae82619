import { describe, expect, test } from 'vitest';
import type { Label } from '../../../core/capability/guard.ts';
import { HELD_READ } from '../../../core/capability/held-read.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import type { PastUse } from '../../../core/privilege/history.ts';
import { type ProposeOptions, proposeGrants } from '../../../core/privilege/propose.ts';
import { policyOf, tryPolicy } from '../../../core/privilege/try.ts';
import { lint } from '../../../core/schema/lint.ts';
import { must } from '../validator.ts';
import { accepts, DEFINITIONS, SEND, TAINTED, tried, use, WRITE } from './uses.ts';

const proposed = (uses: readonly ReturnType<typeof use>[], more: Partial<ProposeOptions> = {}) =>
  must(proposeGrants(uses, { definitions: DEFINITIONS, ...more }));

/** The schema that a rule gives the argument `x` for these values. */
function formOfX(values: readonly unknown[], more: Partial<ProposeOptions> = {}) {
  const [rule] = proposed(
    values.map((x) => use({ x: x as never })),
    more,
  ).rules;
  expect(lint(rule?.terms.where)).toMatchObject({ ok: true });
  return (rule?.terms.where?.['properties'] as { readonly x: unknown } | undefined)?.x;
}

const many = (make: (at: number) => unknown) => Array.from({ length: 9 }, (_, at) => make(at));
const INSIDE = String.raw`(?:/(?![. ]+(?:/|$))[A-Za-z0-9._~ \-]+)`;

describe('the form of an argument', () => {
  test.each([
    ['a constant', ['a', 'a'], { const: 'a' }],
    ['up to 8 values', ['b', 'a', 3], { enum: ['a', 'b', 3] }],
    ['a range of integers', many((at) => at - 4), { type: 'integer', minimum: -4, maximum: 4 }],
    ['a range of numbers', many((at) => at / 2), { type: 'number', minimum: 0, maximum: 4 }],
    ['a folder', many((at) => `/home/a/${at}.md`), { type: 'string', pattern: `^\\/home\\/a${INSIDE}+$` }],
    [
      'a folder that was named itself',
      ['/docs/', ...many((at) => `/docs/${at}/x`)],
      { type: 'string', pattern: `^\\/docs${INSIDE}*/?$` },
    ],
    [
      'an origin',
      many((at) => `https://a.example:8443/v1/${at}?q=1`),
      {
        type: 'string',
        pattern: String.raw`^https:\/\/a\.example:8443(?:/(?![. ]+(?:/|$))[A-Za-z0-9._~ =\?\-]+)+$`,
      },
    ],
    ['a prefix', many((at) => `invoice-${at}`), { type: 'string', pattern: String.raw`^invoice-[A-Za-z0-9._~ \-]+$` }],
    ['a format', many((at) => `202${at}-01-01`), { type: 'string', format: 'date' }],
    ['a length', many((at) => 'x'.repeat(at * 2)), { type: 'string', maxLength: 16 }],
    ['a list', many((at) => Array.from({ length: at }, () => 1)), { type: 'array', maxItems: 8, items: { const: 1 } }],
    [
      'an object with an optional member',
      [{ a: 1 }, { a: 1, b: 'x' }],
      {
        type: 'object',
        properties: { a: { const: 1 }, b: { const: 'x' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    [
      'two kinds',
      [...many((at) => at), null],
      { anyOf: [{ const: null }, { type: 'integer', minimum: 0, maximum: 8 }] },
    ],
  ])('%s', (_, values, schema) => expect(formOfX(values)).toEqual(schema));

  test.each([
    ['a path that climbs', '/home/a/../b'],
    ['a path with an empty segment', '/home/a//b'],
    ['a path with percent', '/home/a/%2e%2e/b'],
    ['a path of windows', String.raw`/home/a\b`],
    ['a path with a dot that a system drops', '/home/a/.. /b'],
    ['a control character', '/home/a/\u0000b'],
    ['a mark of direction', '/home/a/\u202eb'],
  ])('%s is in no folder', (_, path) => {
    expect(formOfX([path, ...many((at) => `/home/a/${at}`)])).toEqual({ type: 'string', maxLength: 16 });
  });

  test.each([
    ['another host', 'https://a.example.evil/'],
    ['another port', 'https://a.example:444/'],
    ['user info', 'https://a.example@evil/'],
    ['upper case', 'https://A.example/'],
  ])('%s is not at the origin', (_, url) => {
    expect(formOfX([url, ...many((at) => `https://a.example/${at}`)])).toMatchObject({ format: 'uri' });
  });

  test('no text that is a secret is quoted, and nothing of a secret step', () => {
    expect(formOfX(['token-1', 'token-1'], { isSecret: (text) => text.startsWith('token') })).toEqual({
      type: 'string',
      maxLength: 8,
    });
    const [rule] = proposed([use({ pin: 1234, name: 'x' }, { isSecret: true })]).rules;
    expect(JSON.stringify(rule)).not.toMatch(/1234|"x"/);
  });
});

const wide = (count: number, value: (at: number) => JsonValue) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value(at)]));

describe('a rule has its bounds', () => {
  test.each<[string, readonly JsonValue[]]>([
    ['a long text', ['y'.repeat(300_000)]],
    ['eight long texts', many((at) => `${at}${'y'.repeat(9000)}`).slice(1) as string[]],
    ['a long beginning', many((at) => `${'word '.repeat(10_000)}${at}`) as string[]],
    ['long names of folders', many((at) => `/${'word '.repeat(10_000)}/${at}`) as string[]],
    [
      'many characters',
      many(
        (at) =>
          `/home/${Array.from({ length: 900 }, (_, nth) => String.fromCodePoint(0x4e00 + at * 900 + nth)).join('')}`,
      ) as string[],
    ],
    [
      'long names of members',
      [Object.fromEntries(many((at) => [`${at}${'n'.repeat(30_000)}`, 1]) as [string, number][])],
    ],
    ['many members', [wide(60, () => wide(60, (at) => at))]],
    ['many levels', [Array.from({ length: 40 }).reduce<JsonValue>((inner) => ({ a: inner, b: 1 }), 1)]],
    ['a member that no schema names', [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('[{"__proto__":1}]')]],
  ])('%s', (_, values) => {
    const uses = values.map((x) => use({ x }));
    const { rules } = proposed(uses);
    expect(lint(rules[0]?.terms.where)).toMatchObject({ ok: true });
    expect(JSON.stringify(rules[0]?.terms.where).length).toBeLessThan(16_384);
    expect(tried(uses, { rules }).counts).toMatchObject({ refused: 0 });
  });

  test('a beginning with a backslash takes no folder above', () => {
    const schema = formOfX(many((at) => `C:\\Users\\u\\${at}.md`));
    expect([String.raw`C:\Users\u\a`, String.raw`C:\Users\u\..`].map((x) => accepts(schema as JsonObject, x))).toEqual([
      true,
      false,
    ]);
  });
});

const HANDLE = { path: { $held: 'h1' }, n: 5 };
const held = (resolved: JsonValue, pointer = '/path', label: Label = 'private') => ({
  handles: [{ pointer, labels: [label] }],
  resolved,
});

describe('no call that ran is refused', () => {
  test.each<[string, readonly PastUse[]]>([
    ['behind a no to the same call', [use({ path: 'a' }, { end: 'denied', asked: 'grant' }), use({ path: 'a' })]],
    ['behind a refusal by the rules', [use({ path: 'a' }, { end: 'refused', code: 'no_grant' }), use({ path: 'a' })]],
    ['behind a clock that was set back', [200_000, 300_001, 0].map((now) => use({ path: 'a' }, { now }))],
    [
      'with a handle in a map',
      [
        use({ m: wide(70, () => 'v') }),
        use(
          { m: { ...wide(70, () => 'v'), k3: { $held: 'h1' } } },
          held({ m: { ...wide(70, () => 'v'), k3: 'w' } }, '/m/k3'),
        ),
      ],
    ],
    ['with a handle in secret arguments', [use({ path: { $held: 'h1' } }, { isSecret: true, ...held({ path: 'a' }) })]],
    [
      'with a handle whose value another rule takes',
      [
        use({ path: 'a', n: 5 }, { run_id: 'one' }),
        use({ path: 'a', n: 6 }, { run_id: 'one' }),
        use(HANDLE, { run_id: 'two', ...TAINTED, ...held({ path: 'a', n: 5 }, '/path', 'untrusted') }),
        use({ path: 'a', n: 6 }, { run_id: 'two', ...TAINTED }),
        use({ path: 'a', n: 6 }, { run_id: 'two', ...TAINTED }),
      ],
    ],
    [
      'with many members, only seen behind data of a stranger',
      ['a', 'b'].map((x, at) => use({ x: wide(5, () => wide(60, () => x)) }, at === 0 ? {} : TAINTED)),
    ],
  ])('%s', (_, uses) => {
    expect(tried(uses, { rules: proposed(uses).rules }).counts).toMatchObject({ refused: 0, unknown: 0 });
  });

  test('many members make no rule that covers all', () => {
    const uses = ['a', 'b'].map((x, at) => use({ x: wide(5, () => wide(60, () => x)) }, at === 0 ? {} : TAINTED));
    expect(proposed(uses).rules.map(({ asks }) => asks)).toEqual([undefined, 'untrusted']);
  });
});

describe('a proposal', () => {
  test('a refused call with a handle whose value a rule takes makes it ask', () => {
    const more = { end: 'denied', asked: 'held', run_id: 'other' } as const;
    const uses = [use({ path: 'a', n: 5 }), use(HANDLE, { ...more, ...held({ path: 'a', n: 5 }) })];
    expect(proposed(uses).rules).toMatchObject([{ asks: 'refused' }]);
    const { resolved: _, ...gone } = held(null);
    expect(proposed([use({ path: 'a', n: 5 }), use(HANDLE, { ...more, ...gone })]).rules).toMatchObject([
      { asks: 'refused' },
    ]);
  });

  test('a trial without the guard asks about nothing that it asked about', () => {
    const uses = [use({ path: 'a' }, { of: WRITE, ...TAINTED })];
    const grants = [{ capability: WRITE.name, mode: 'allow' as const }];
    const counts = [true, false].map((isGuarded) => {
      const policy = policyOf(DEFINITIONS, grants, isGuarded);
      return tryPolicy(uses, { policy, definitions: DEFINITIONS, check: accepts }).counts.asked;
    });
    expect(counts).toEqual([1, 0]);
  });

  test('a member with the name * accepts nothing at its siblings', () => {
    const [rule] = proposed([use({ '*': { $held: 'h1' }, a: 'b' }, held({ '*': 1, a: 'b' }, '/*'))]).rules;
    expect(rule?.terms).not.toHaveProperty('accepts');
    expect(rule?.terms.where?.['properties']).toEqual({ '*': {}, a: { const: 'b' } });
  });

  test('a secret word of a path or an address is not quoted, and the folder is', () => {
    const isSecret = (text: string) => text.includes('key');
    expect(
      formOfX(
        many((at) => `/home/a/key${at}`),
        { isSecret },
      ),
    ).toMatchObject({ pattern: `^\\/home\\/a${INSIDE}+$` });
    expect(
      formOfX(
        many((at) => `/home/key/${at}`),
        { isSecret },
      ),
    ).toEqual({ type: 'string', maxLength: 16 });
  });

  test('a read is allowed, and what leaves something behind asks', () => {
    const uses = [use({ path: 'a' }), use({ path: 'b' }, { of: WRITE }), use({ path: 'b' }, { of: WRITE })];
    expect(
      proposed(uses).rules.map(({ capability, asks, terms }) => [capability, asks, terms.mode, terms.uses]),
    ).toEqual([
      ['files.read', undefined, 'allow', 1],
      ['files.write', 'effect', 'ask', 2],
    ]);
    expect(proposed(uses).unused).toEqual([SEND.name]);
  });

  test('a value that was only seen after data of a stranger was read widens no permission', () => {
    const { rules } = proposed([
      use({ path: 'mine' }),
      use({ path: 'theirs' }, TAINTED),
      use({ path: 'mine' }, TAINTED),
    ]);
    expect(rules.map(({ asks, terms }) => [asks, terms.mode, terms.uses, terms.where?.['properties']])).toEqual([
      [undefined, 'allow', 2, { path: { const: 'mine' } }],
      ['untrusted', 'ask', 1, { path: { const: 'theirs' } }],
    ]);
  });

  test.each([
    ['a person has refused', { end: 'denied', asked: 'grant' }],
    ['nobody has answered', { end: 'open', asked: 'untrusted' }],
  ] as const)('a rule that covers a call that %s asks', (_, more) => {
    const uses = [use({ path: 'a' }), use({ path: 'a' }, more)];
    expect(proposed(uses).rules).toMatchObject([{ asks: 'refused', terms: { mode: 'ask' } }]);
    expect(proposed([use({ path: 'a' }), use({ path: 'b' }, more)]).rules).toMatchObject([
      { terms: { mode: 'allow' } },
    ]);
  });

  test('a place that held a handle gets its labels, and no value', () => {
    const held = { handles: [{ pointer: '/to/0/name', labels: ['private'] as const }] };
    const [rule] = proposed([
      use({ to: [{ name: { $held: 'h1' } }] }, { of: SEND, ...held }),
      use({ to: [{ name: 'me' }] }, { of: SEND }),
    ]).rules;
    expect(rule?.terms.accepts).toEqual({ '/to/*/name': ['private'] });
    expect(rule?.form.below[0]?.below[0]?.below[0]).toMatchObject({ pointer: '/to/*/name', form: 'any', schema: {} });
  });

  test('calls of another definition and erased arguments are counted, and make no rule', () => {
    const { args: _, ...erased } = use({});
    const { rules, others, erased: gone } = proposed([use({}, { hash: 'd'.repeat(64) }), erased]);
    expect([rules, others, gone]).toEqual([
      [],
      [{ name: 'files.read', hash: 'd'.repeat(64), calls: 1 }],
      [{ name: 'files.read', calls: 1 }],
    ]);
  });

  test('a rule counts the most calls in a run, and in any minute', () => {
    const at = (run_id: string, ...times: readonly number[]) => times.map((now) => use({}, { run_id, now }));
    const uses = [...at('one', 0, 59_999, 60_000, 120_000), ...at('two', 0)];
    expect(proposed(uses).rules[0]?.terms).toMatchObject({ uses: 4, rate: [{ calls: 2, windowMs: 60_000 }] });
    expect(tried(uses, proposed(uses)).counts).toMatchObject({ same: 5, refused: 0 });
  });

  test('a history that is too large is refused', () => {
    const text = 'x'.repeat(1 << 20);
    const uses = Array.from({ length: 65 }, (_, at) => use({ text: `${at}${text}` }));
    expect(proposeGrants(uses, { definitions: DEFINITIONS })).toMatchObject({
      ok: false,
      refusal: { code: 'history_large' },
    });
  });
});

test('a rule for reading what is held asks, whatever a person has said yes to', () => {
  const reading = { name: HELD_READ.manifest.name, hash: HELD_READ.hash, effect: HELD_READ.manifest.effect } as const;
  const uses = [1, 2, 3].map((at) => use({ handle: `h${at}` }, { of: reading, asked: 'grant' as never }));
  const { rules } = must(proposeGrants(uses, { definitions: [reading] }));
  expect(rules).toMatchObject([{ terms: { mode: 'ask' }, asks: 'reading' }]);
});
