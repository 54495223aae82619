import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { type FittedForm, formOf } from '../../../core/privilege/forms.ts';
import type { PastUse } from '../../../core/privilege/history.ts';
import { type GrantProposal, proposeGrants } from '../../../core/privilege/propose.ts';
import { checker } from '../schemas.ts';
import { must } from '../validator.ts';
import { accepts, DEFINITIONS, tried, use } from './uses.ts';

const name = fc.constantFrom('a', 'b.md', 'c d', 'ü', '..', '.', '', '%2e%2e', 'x\\y', 'é#1', 'q?x=1');
const path = fc
  .tuple(fc.constantFrom('/home/u', '/home/u/docs', 'docs', './docs', '', 'C:/Users'), fc.array(name, { maxLength: 3 }))
  .map(([base, rest]) => [base, ...rest].join('/'));
const url = fc
  .tuple(
    fc.constantFrom('https://a.example', 'https://a.example:8443', 'http://b.example', 'https://u@a.example'),
    fc.array(name, { maxLength: 3 }),
  )
  .map(([base, rest]) => [base, ...rest].join('/'));
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  path,
  url,
  fc.integer({ min: -50, max: 50 }),
  fc.double({ noNaN: true, min: -1, max: 1 }).map((value) => value + 0),
  fc.boolean(),
  fc.constant(null),
  fc.string({ maxLength: 20, unit: 'grapheme' }),
  fc.constantFrom('invoice-1', 'invoice-2', '2026-01-01', 'x@a.example'),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('k', 'l', 'm'), scalar, { noNullPrototype: true }),
);
/** Arguments of one kind of call: each member has one kind of value, so that the forms above the length are reached. */
const kinds: readonly fc.Arbitrary<JsonValue>[] = [path, url, scalar, value, fc.integer({ min: 0, max: 9 })];
const args = fc.record(
  { path, url, n: fc.integer({ min: 0, max: 30 }), any: fc.oneof(...kinds) },
  { requiredKeys: ['path'], noNullPrototype: true },
);
const past: fc.Arbitrary<PastUse> = fc
  .record({
    of: fc.constantFrom(...DEFINITIONS),
    args: fc.oneof({ weight: 2, arbitrary: args }, { weight: 1, arbitrary: fc.constant({ path: 'a' }) }),
    run_id: fc.constantFrom('one', 'two', 'three'),
    now: fc.integer({ min: 0, max: 200_000 }),
    end: fc.constantFrom('ran', 'ran', 'ran', 'denied', 'refused', 'open'),
    asked: fc.constantFrom(undefined, undefined, 'grant', 'untrusted'),
    isTainted: fc.boolean(),
  })
  .map(({ asked, isTainted, args: given, ...rest }) =>
    use(given as JsonObject, {
      ...(rest as { of: (typeof DEFINITIONS)[number]; run_id: string; now: number; end: PastUse['end'] }),
      ...(asked !== undefined && { asked: asked as 'grant' }),
      ...(isTainted && { labels: ['untrusted'] as const }),
    }),
  );
/** Labels of a run only grow; its clock may be set back. */
const history = fc.array(past, { minLength: 1, maxLength: 60 }).map((uses) => {
  const clocks = new Map<string, number>();
  const tainted = new Set<string>();
  return uses.map((each) => {
    const now = Math.max(0, (clocks.get(each.run_id) ?? 100_000) + (each.now % 40_000) - 8_000);
    clocks.set(each.run_id, now);
    if (each.labels.length > 0) tainted.add(each.run_id);
    return { ...each, now, labels: tainted.has(each.run_id) ? (['untrusted'] as const) : [] };
  });
});
const proposal = (uses: readonly PastUse[]): GrantProposal => must(proposeGrants(uses, { definitions: DEFINITIONS }));

describe('a proposal', () => {
  test('refuses no call that ran, and permits none unasked that a person or the guard has refused', () => {
    fc.assert(
      fc.property(history, (uses) => {
        const { changed, counts } = tried(uses, proposal(uses));
        expect(counts.refused + counts.unknown).toBe(0);
        const isRefused = (one: PastUse) => one.end !== 'ran' && (one.end === 'denied' || one.asked !== undefined);
        expect(changed.filter(({ use: one, as }) => as === 'permitted' && isRefused(one))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('permits no value unasked that was only seen after data of a stranger was read', () => {
    fc.assert(
      fc.property(history, (uses) => {
        const { rules } = proposal(uses);
        for (const { capability_hash, terms } of rules) {
          if (terms.mode !== 'allow' || terms.where === undefined) continue;
          const clean = uses.filter(
            ({ hash, labels, end }) => hash === capability_hash && labels.length === 0 && end === 'ran',
          );
          // the same rule comes of the clean calls alone
          const [again] = proposal(clean).rules;
          expect(again?.terms.where).toEqual(terms.where);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('is the same bytes for every order of the runs', () => {
    fc.assert(
      fc.property(history, (uses) => {
        const other = [...uses].sort((one, two) => (one.run_id > two.run_id ? -1 : 1) || one.step - two.step);
        expect(JSON.stringify(proposal(other))).toBe(JSON.stringify(proposal(uses)));
        expect(JSON.stringify(proposal([...uses].reverse()))).toBe(JSON.stringify(proposal(uses)));
      }),
      { numRuns: 200 },
    );
  });

  test('is tight: of each form something narrower refuses a call that it rests on', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds).chain((kind) => fc.array(kind, { minLength: 1, maxLength: 30 })),
        (values) => {
          const form = formOf(values);
          expect(values.every((each) => accepts(form.schema, each))).toBe(true);
          for (const narrower of narrowed(form.schema))
            expect([narrower, values.every((each) => accepts(narrower, each))]).toEqual([narrower, false]);
          expect(isTightFolder(form, values)).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('counts tightly: one use less, or one call a minute less, refuses a call that it rests on', () => {
    fc.assert(
      fc.property(history, (uses) => {
        for (const rule of proposal(uses).rules) {
          const own = uses.filter(
            ({ hash, args: given, end }) =>
              hash === rule.capability_hash && end === 'ran' && accepts(rule.terms.where ?? {}, given as JsonValue),
          );
          const refusedBy = (terms: object) =>
            tried(own, { rules: [{ ...rule, terms: { ...rule.terms, ...terms } }] }).counts.refused;
          expect(refusedBy({})).toBe(0);
          expect(refusedBy({ uses: (rule.terms.uses ?? 0) - 1 })).toBeGreaterThan(0);
          const [rate] = rule.terms.rate ?? [];
          if (rate !== undefined && rate.calls > 1)
            expect(refusedBy({ rate: [{ ...rate, calls: rate.calls - 1 }] })).toBeGreaterThan(0);
        }
      }),
      { numRuns: 100 },
    );
  });
});

/** Schemas that are a step narrower at one place. The length is the next power of two, so that its half is. */
function narrowed(schema: JsonObject): readonly JsonObject[] {
  const here: JsonObject[] = [];
  const { enum: all, minimum, maximum, maxLength, maxItems, required = [], properties, items, anyOf } = schema;
  if (Array.isArray(all)) for (const one of all) here.push({ enum: all.filter((each) => each !== one) });
  if (typeof minimum === 'number' && typeof maximum === 'number' && minimum < maximum)
    here.push({ ...schema, exclusiveMinimum: minimum }, { ...schema, exclusiveMaximum: maximum });
  if (typeof maxLength === 'number' && maxLength > 1) here.push({ ...schema, maxLength: maxLength / 2 });
  if (typeof maxItems === 'number' && maxItems > 0) here.push({ ...schema, maxItems: maxItems - 1 });
  if (isObject(properties))
    for (const [key, inner] of Object.entries(properties)) {
      if (!(required as readonly string[]).includes(key))
        here.push({ ...schema, required: [...(required as string[]), key] });
      for (const one of narrowed(inner as JsonObject))
        here.push({ ...schema, properties: { ...properties, [key]: one } });
    }
  if (isObject(items)) for (const one of narrowed(items)) here.push({ ...schema, items: one });
  if (Array.isArray(anyOf))
    for (const [at, one] of anyOf.entries())
      for (const each of narrowed(one as JsonObject)) here.push({ anyOf: anyOf.with(at, each) });
  return here;
}

/** A folder is the deepest that all paths are in: found again by another way. */
function isTightFolder({ form, schema }: FittedForm, values: readonly JsonValue[]): boolean {
  if (form !== 'folder') return true;
  const parts = (values as readonly string[]).map((each) => posix.normalize(each).replace(/\/$/, '').split('/'));
  const deepest = (parts[0] ?? []).filter((_part, at, all) =>
    all.slice(0, at + 1).every((_, before) => parts.every((each) => each[before] === parts[0]?.[before])),
  );
  const start = `^${deepest.join('/').replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')}(?:/`;
  return String(schema['pattern']).startsWith(start);
}

/** Why a text that a pattern accepts is not placed inside of the base; undefined where it is. */
function escape(text: string, base: string): string | undefined {
  let decoded = text;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    // as it is
  }
  for (const each of [text, decoded]) {
    if (/^https?:/.test(base)) {
      if (!URL.canParse(each) || new URL(each).origin !== base) return `new URL: ${each}`;
      if (new URL(each).username !== '') return `user: ${each}`;
      continue;
    }
    const inside = [
      ['posix', posix.resolve('/base', each), posix.resolve('/base', base), '/'],
      ['win32', win32.resolve('C:\\base', each), win32.resolve('C:\\base', base), '\\'],
      ['url', new URL(each, 'file:///base/').pathname, new URL(base, 'file:///base/').pathname, '/'],
    ] as const;
    for (const [by, at, folder, slash] of inside)
      if (at !== folder && !at.startsWith(folder.endsWith(slash) ? folder : folder + slash)) return `${by}: ${each}`;
  }
  return undefined;
}

const PARTS = [
  'a',
  'B',
  '..',
  '.',
  '...',
  '. .',
  ' ',
  '/',
  '//',
  '\\',
  '\\..\\..\\..',
  '%2e',
  '%2e%2e',
  '%2f',
  '%5c',
  '%',
  ':',
  '@',
  '#',
  '?',
  '&',
  '=',
  '\t',
  '\n',
  '\0',
  '\u2024',
  '\uff0e',
  '\u2215',
  '\u202e',
  'é',
  '~',
  '~1',
  'C:',
  ':80',
  '.evil',
  'evil.example',
  '-',
  '_',
  '..;',
  '*',
  '$',
  '^',
  ')',
  '|',
];

/** Texts beside a base: pieces are put behind it and between, most often as segments. */
const mutated = (base: string): readonly string[] => {
  const piece = fc.constantFrom(...PARTS);
  const segment = fc.oneof(
    piece,
    fc.tuple(piece, piece).map(([one, two]) => one + two),
  );
  const tail = fc.array(segment, { maxLength: 5 }).map((parts) => parts.join('/'));
  const start = fc.constantFrom(base, base, base, base, base.toUpperCase(), base.slice(0, -1), `${base}x`, '');
  const text = fc.tuple(start, fc.constantFrom('/', '/', '/', ''), tail).map((parts) => parts.join(''));
  return fc.sample(text, { numRuns: Math.ceil(100_000 / BASES.length), seed: 7 });
};

const BASES = [
  ['/home/u/docs', ['/home/u/docs/a.md', '/home/u/docs/b c/d-1.md']],
  ['/home/u/docs', ['/home/u/docs', '/home/u/docs/é (1).md', '/home/u/docs/x/']],
  ['docs', ['docs/a&b', 'docs/c=d', 'docs/x:y@z']],
  ['C:/Users/u', ['C:/Users/u/a', 'C:/Users/u/b']],
  ['https://a.example', ['https://a.example', 'https://a.example/x?q=1&r=2#top', 'https://a.example/a:b@c']],
  ['https://a.example:8443', ['https://a.example:8443/v1/', 'https://a.example:8443/v2']],
] as const;

/** The pattern of a folder or origin that was seen in these texts. */
function patternFor(texts: readonly string[]): string {
  const all = [...texts, ...Array.from({ length: 9 }, (_, at) => `${texts.at(-1)?.replace(/\/$/, '')}/n${at}`)];
  const { form, schema } = formOf(all);
  expect(['folder', 'origin']).toContain(form);
  return String(schema['pattern']);
}

describe('a folder or an origin', () => {
  test.each(BASES)('%s takes nothing that is placed outside (%j)', (base, texts) => {
    const pattern = new RegExp(patternFor(texts), 'u');
    const taken = mutated(base).filter((text) => pattern.test(text));
    expect(taken.length).toBeGreaterThan(100);
    expect(taken.flatMap((text) => escape(text, base) ?? [])).toEqual([]);
  });

  test.each([
    ['any tail', '(?:/.*)?$'],
    ['a percent', String.raw`(?:/(?![. ]+(?:/|$))[A-Za-z0-9._~ %\-]+)*$`],
    ['a backslash', String.raw`(?:/(?![. ]+(?:/|$))[A-Za-z0-9._~ \\\-]+)*$`],
    ['dots', String.raw`(?:/[A-Za-z0-9._~ \-]+)*$`],
    ['no slash behind the folder', String.raw`[A-Za-z0-9._~ /\-]*$`],
  ])('a wider form (%s) is found out', (_, tail) => {
    const found = ['/home/u/docs', 'https://a.example'].some((base) => {
      const pattern = new RegExp(`^${base}${tail}`, 'u');
      return mutated(base).some((text) => pattern.test(text) && escape(text, base) !== undefined);
    });
    expect(found).toBe(true);
  });
});

test('the validator of a run accepts what a rule accepts', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), value, (values, other) => {
      const { schema } = formOf(values);
      const check = checker(schema);
      for (const each of [...values, other]) expect(check(each).length === 0).toBe(accepts(schema, each));
    }),
    { numRuns: 60 },
  );
});
