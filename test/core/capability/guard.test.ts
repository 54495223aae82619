import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Authorization } from '../../../core/capability/authorize.ts';
import { defaultLabels, guard, type Label, withLabels } from '../../../core/capability/guard.ts';
import { attenuate } from '../../../core/capability/policy.ts';
import type { Grant, JsonObject } from '../../../core/index.ts';
import { caseCount } from '../../cases.ts';
import { must } from '../validator.ts';
import { decideOn, grant } from './calls.ts';

const allow = (name: string) => grant(name, { mode: 'allow' });
/** A standing answer to the grant that allows the capability, given when the run had read data with these labels. */
const person = (name: string, ...labels: readonly Label[]) =>
  grant(name, { mode: 'allow', answer: 'a'.repeat(64), parent: allow(name).id, run: 'r', labels });
const decision = (name: string, grants: readonly Grant[], labels: readonly Label[], approved = false) =>
  decideOn(name, grants, { labels, approved }).decision;

describe('the guard', () => {
  test.each([
    ['pure', [], 'clear'],
    ['pure', ['private', 'untrusted'], 'clear'],
    ['read', ['private', 'untrusted'], 'clear'],
    ['write', [], 'clear'],
    ['write', ['private'], 'clear'],
    ['write', ['untrusted'], 'person'],
    ['write', ['private', 'untrusted'], 'person'],
    ['egress', [], 'clear'],
    ['egress', ['private'], 'clear'],
    ['egress', ['untrusted'], 'person'],
    ['egress', ['private', 'untrusted'], 'this_call'],
  ] as const)('the guard of a %s call after %j content answers %s', (effect, labels, wanted) => {
    expect(guard(effect, new Set(labels))).toBe(wanted);
  });

  test('a capability without labels is taken for the most dangerous kind of its effect', () => {
    expect(['pure', 'read', 'write', 'egress'].map((effect) => defaultLabels(effect as 'read'))).toEqual([
      [],
      ['private', 'untrusted'],
      [],
      ['untrusted'],
    ]);
  });

  test('labels only accumulate', () => {
    const labels = new Set<Label>(['untrusted']);
    expect([...withLabels(labels, ['private'])]).toEqual(['private', 'untrusted']);
    expect(withLabels(labels, [])).toBe(labels);
    expect([...labels]).toEqual(['untrusted']);
  });
});

describe('the guard after untrusted content', () => {
  test('after untrusted content, a standing permission to write becomes a question', () => {
    expect(decision('notes.put', [allow('notes.put')], ['untrusted'])).toBe('REQUIRES_APPROVAL');
  });

  test('after untrusted content, a standing answer that a person gave after it suffices to write', () => {
    const grants = [allow('notes.put'), person('notes.put'), person('notes.put', 'untrusted')];
    expect(decision('notes.put', grants, ['untrusted'])).toBe('AUTHORIZED');
  });

  test('after untrusted content, a standing answer that a person gave before it becomes a question', () => {
    expect(decision('notes.put', [allow('notes.put'), person('notes.put')], ['untrusted'])).toBe('REQUIRES_APPROVAL');
    const grants = [allow('notes.put'), person('notes.put', 'private')];
    expect(decision('notes.put', grants, ['private', 'untrusted'])).toBe('REQUIRES_APPROVAL');
  });

  test('a standing answer without its grant permits nothing', () => {
    expect(decision('notes.put', [person('notes.put', 'untrusted')], [])).toBe('DENIED_POLICY_VIOLATION');
  });

  test('after untrusted content, the approval of a call by a person suffices', () => {
    expect(decision('notes.put', [allow('notes.put')], ['untrusted'], true)).toBe('AUTHORIZED');
  });
});

describe('the guard after private and untrusted content', () => {
  test('after private and untrusted content, no grant suffices to send, not even a grant by a person in this run', () => {
    expect(decision('shell', [allow('shell'), person('shell', 'private', 'untrusted')], ['private', 'untrusted'])).toBe(
      'REQUIRES_APPROVAL',
    );
  });

  test('after private and untrusted content, only the approval of the very call lets it send', () => {
    expect(decision('shell', [allow('shell')], ['private', 'untrusted'], true)).toBe('AUTHORIZED');
  });

  test('an approval permits no call that lacks a grant', () => {
    expect(decision('shell', [], ['private', 'untrusted'], true)).toBe('DENIED_POLICY_VIOLATION');
  });
});

const POWER: { readonly [decision: string]: number } = { AUTHORIZED: 2, REQUIRES_APPROVAL: 1 };
const power = (authorization: Authorization) => POWER[authorization.decision] ?? 0;
const WHERES = [{ type: 'object' }, { minProperties: 1 }] as const;
const rates = fc.record({ calls: fc.integer({ min: 1, max: 2 }), windowMs: fc.integer({ min: 1, max: 5 }) });
const terms = fc.record(
  {
    mode: fc.constantFrom('allow', 'ask', 'deny'),
    where: fc.constantFrom(...WHERES),
    uses: fc.integer({ min: 1, max: 3 }),
    expires: fc.integer({ min: 1, max: 9 }),
    rate: fc.array(rates, { minLength: 1, maxLength: 2 }),
    by: fc.constant('person'),
    args_hash: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
  },
  { requiredKeys: ['mode'] },
);
const labelSets = fc.subarray<Label>(['private', 'untrusted']);
const NAMES = ['math.add', 'clock', 'notes.put', 'shell'] as const;

describe('authority under the guard', () => {
  test('labels never widen the decision, and the guard never widens it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.array(terms, { maxLength: 4 }),
        labelSets,
        fc.boolean(),
        (name, rules, labels, approved) => {
          const grants = rules.map((rule) => grant(name, rule));
          const at = (seen: readonly Label[], guarded: boolean) =>
            power(decideOn(name, grants, { labels: seen, guarded, approved }));
          expect(at(labels, true)).toBeLessThanOrEqual(at([], true));
          expect(at(['private', 'untrusted'], true)).toBeLessThanOrEqual(at(labels, true));
          expect(at(labels, true)).toBeLessThanOrEqual(at(labels, false));
        },
      ),
      { numRuns: caseCount(1_000) },
    );
  });
});

describe('an attenuated grant', () => {
  const narrower = fc.record(
    {
      mode: fc.constantFrom('allow', 'ask', 'deny'),
      where: fc.constantFrom(...WHERES),
      uses: fc.nat({ max: 4 }),
      expires: fc.nat({ max: 10 }),
      rate: fc.array(rates, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const situation = fc.record({
    now: fc.nat({ max: 11 }),
    approved: fc.boolean(),
    labels: labelSets,
    times: fc.array(fc.nat({ max: 11 }), { maxLength: 4 }),
    first: fc.boolean(),
    second: fc.boolean(),
  });

  test('an attenuated grant never permits a call that its source does not permit', () => {
    fc.assert(
      fc.property(
        terms,
        narrower,
        terms,
        situation,
        (from, by, beside, { now, approved, labels, times, first, second }) => {
          const [given, other] = [grant('shell', from), grant('shell', beside)];
          const made = attenuate(given, by);
          // Grants of the same terms are a single grant with a single count.
          fc.pre(other.id !== given.id && (!made.ok || other.id !== made.value.id));
          if (!made.ok) {
            expect(made.refusal.code).toBe('grant_widens');
            return;
          }
          // Both constraints must accept: the answer for `allOf` is the conjunction of both answers.
          const said = (where: JsonObject): boolean => {
            const parts = where['allOf'] as readonly JsonObject[] | undefined;
            return parts?.every(said) ?? (JSON.stringify(where) === JSON.stringify(WHERES[0]) ? first : second);
          };
          const holds = new Map(
            [given, made.value, other].flatMap(({ where, where_hash = '' }) =>
              where === undefined ? [] : [[where_hash, said(where)] as const],
            ),
          );
          const decide = (one: Grant) =>
            power(decideOn('shell', [one, other], { now, approved, labels, holds, times: [[one, times]] }));
          expect(decide(made.value)).toBeLessThanOrEqual(decide(given));
        },
      ),
      { numRuns: caseCount(3_000) },
    );
  });

  test('an attenuation that would widen the mode is refused', () => {
    expect(attenuate(grant('shell', { mode: 'ask' }), { mode: 'allow' })).toMatchObject({
      ok: false,
      refusal: { code: 'grant_widens', details: { what: 'mode' } },
    });
  });

  test.each([{ where: WHERES[0] }, { uses: 1 }, { expires: 1 }])(
    'an attenuation of a denial by %j is refused',
    (by) => {
      const [what] = Object.keys(by);
      expect(attenuate(grant('shell', { mode: 'deny' }), by)).toMatchObject({
        ok: false,
        refusal: { code: 'grant_widens', details: { what } },
      });
    },
  );

  test.each([
    ['mode', { mode: 'maybe' }],
    ['uses', { uses: Number.NaN }],
    ['uses', { uses: -1 }],
    ['expires', { expires: '2030-01-01' }],
    ['where', { where: [] }],
    ['rate', { rate: [] }],
    ['rate', { rate: [{ calls: 0, windowMs: 1 }] }],
    ['rate', { rate: [{ calls: 1_001, windowMs: 1 }] }],
    ['rate', { rate: [{ calls: 1, windowMs: 1, ms: 1 }] }],
    ['rate', { rate: [1, 2, 3, 4, 5].map((windowMs) => ({ calls: 1, windowMs })) }],
  ])('terms with a wrong %s are misuse, and loosen no denial', (name, terms) => {
    const wrong = expect.objectContaining({
      code: 'option_invalid',
      details: expect.objectContaining({ name: `terms.${name}` }),
    });
    for (const mode of ['allow', 'deny'] as const)
      expect(() => attenuate(grant('shell', { mode }), terms as never)).toThrow(wrong);
  });

  test('an attenuated grant stands for having none only where its source does', () => {
    const widened = attenuate(grant('shell', { mode: 'ask' }), { fallback: true });
    expect(widened).toMatchObject({ ok: false, refusal: { code: 'grant_widens', details: { what: 'fallback' } } });
    const kept = attenuate(grant('shell', { mode: 'ask', fallback: true }), { fallback: true });
    expect(kept).toMatchObject({ ok: true, value: { fallback: true } });
  });

  test('an attenuated grant keeps the smaller count and the earlier expiry', () => {
    const given = grant('shell', { mode: 'allow', uses: 2, expires: 5 });
    expect(must(attenuate(given, { uses: 9, expires: 9 }))).toMatchObject({ uses: 2, expires: 5 });
    expect(must(attenuate(given, { uses: 1, expires: 1 }))).toMatchObject({ uses: 1, expires: 1 });
  });

  test('an attenuated grant has the rates of both, and no more than four', () => {
    const rate = (...windows: number[]) => windows.map((windowMs) => ({ calls: 1, windowMs }));
    const given = grant('shell', { mode: 'allow', rate: rate(1, 2) });
    expect(must(attenuate(given, { rate: rate(2, 3, 4) }))).toMatchObject({ rate: rate(1, 2, 3, 4) });
    expect(attenuate(given, { rate: rate(3, 4, 5) })).toMatchObject({
      ok: false,
      refusal: { code: 'option_invalid', details: { name: 'terms.rate' } },
    });
  });
});
