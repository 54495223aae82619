import { describe, expect, test } from 'vitest';
import type { Authorization } from '../../../core/capability/authorize.ts';
import type { GrantTerms } from '../../../core/capability/grant-terms.ts';
import { type Grant, standingChild } from '../../../core/capability/policy.ts';
import { checkWatch, makeWatch, watchId } from '../../../core/capability/watch.ts';
import { capability, codeIn, decideOn, type Facts, grant } from './calls.ts';

const HOUR = 3_600_000;
const UNTIL = 2 * HOUR;

const watched = (name: string, more: object = {}): Grant => {
  const { hash, manifest } = capability(name);
  const [made] = makeWatch([{ name, hash, effect: manifest.effect }], { until: UNTIL, ...more }).grants;
  if (made === undefined) throw new Error('no grant');
  return made;
};
const summary = (decided: Authorization) => codeIn(decided) ?? decided.decision;
const decide = (grants: readonly Grant[], facts?: Facts) => summary(decideOn('math.add', grants, facts));
const own = (terms: GrantTerms) => grant('math.add', terms);
const WATCH = watched('math.add');
const where = { type: 'object', properties: { a: { const: 1 } } };

describe('a watch', () => {
  test('permits a call for which there is no grant', () => {
    expect(decide([])).toBe('no_grant');
    expect(decide([WATCH])).toBe('AUTHORIZED');
  });

  test.each<readonly [name: string, grants: readonly Grant[], facts: Facts]>([
    ['a question', [own({ mode: 'ask' })], {}],
    ['a denial', [own({ mode: 'deny' })], {}],
    [
      'a changed definition',
      [own({ mode: 'deny', changed: { pinned: 'a'.repeat(64), declared: 'b'.repeat(64) } })],
      {},
    ],
    ['a constraint', [own({ mode: 'allow', where })], {}],
    ['a grant that is used up', [own({ mode: 'allow', uses: 1 })], { used: [[own({ mode: 'allow', uses: 1 }), 1]] }],
    ['a grant that has expired', [own({ mode: 'allow', expires: 1 })], { now: 1 }],
    [
      'a rate',
      [own({ mode: 'allow', rate: [{ calls: 1, windowMs: 9 }] })],
      { now: 5, times: [[own({ mode: 'allow', rate: [{ calls: 1, windowMs: 9 }] }), [4]]] },
    ],
    ['a capability that is not enabled', [], { enabled: [] }],
    ['a capability that is gone', [], { registered: false }],
  ])('leaves %s as it is', (_, grants, facts) => {
    const before = decideOn('math.add', grants, facts);
    expect(before.decision).not.toBe('AUTHORIZED');
    expect(decideOn('math.add', [...grants, WATCH], facts)).toEqual(before);
    expect(decideOn('math.add', [WATCH, ...grants], facts)).toEqual(before);
  });

  test('is not for another definition of the name', () => {
    expect(decide([{ ...WATCH, capability_hash: 'f'.repeat(64) }])).toBe('no_grant');
  });

  test('ends at its time, as if there were none', () => {
    expect(decide([WATCH], { now: UNTIL - 1 })).toBe('AUTHORIZED');
    expect(decide([WATCH], { now: UNTIL })).toBe('no_grant');
    const others = [own({ mode: 'ask', fallback: true })];
    expect(decideOn('math.add', [WATCH, ...others], { now: UNTIL })).toEqual(
      decideOn('math.add', others, { now: UNTIL }),
    );
  });

  test('lifts a question that stands for no grant, and no answer to it', () => {
    const fallback = own({ mode: 'ask', fallback: true });
    expect(decide([fallback])).toBe('REQUIRES_APPROVAL');
    expect(decideOn('math.add', [fallback, WATCH])).toMatchObject({ decision: 'AUTHORIZED', grant: WATCH });
    // where a grant was written, its question stays
    expect(decide([fallback, WATCH, own({ mode: 'allow', where })])).toBe('REQUIRES_APPROVAL');
  });

  test('leaves the guard, and a standing answer to it ends with the watch', () => {
    const facts: Facts = { labels: ['untrusted'] };
    const put = watched('notes.put', {});
    const asked = decideOn('notes.put', [put], facts);
    expect(asked).toMatchObject({ decision: 'REQUIRES_APPROVAL', why: 'untrusted', grant: put });
    const child = standingChild(put, { run: 'run', answer: 'a'.repeat(64), labels: ['untrusted'] });
    if (child === undefined) throw new Error('no child');
    expect(decideOn('notes.put', [put, child], facts)).toMatchObject({ decision: 'AUTHORIZED', grant: child });
    expect(summary(decideOn('notes.put', [put, child], { ...facts, now: UNTIL }))).toBe('no_grant');
  });

  test('asks about what leaves the device, unless a person has said otherwise', () => {
    const subject = { name: 'mail', hash: 'a'.repeat(64), effect: 'egress' } as const;
    expect(makeWatch([subject], { until: UNTIL }).grants).toMatchObject([{ mode: 'ask', expires: UNTIL, watch: {} }]);
    expect(makeWatch([subject], { until: UNTIL, egress: true }).grants).toMatchObject([{ mode: 'allow' }]);
  });

  test('has an id that its grants share', () => {
    const { id, grants } = makeWatch(
      ['math.add', 'notes.put'].map((name) => ({ name, hash: capability(name).hash, effect: 'read' as const })),
      { until: UNTIL, note: 'first day' },
    );
    expect(grants.map(watchId)).toEqual([id, id]);
    expect(watchId(own({ mode: 'allow', expires: UNTIL }))).toBeUndefined();
  });

  test.each<readonly [name: string, options: object]>([
    ['until', {}],
    ['until', { until: 0 }],
    ['until', { until: 25 * HOUR }],
    ['until', { until: 1.5 }],
    ['until', { until: '2h' }],
    ['note', { until: HOUR, note: 'x'.repeat(201) }],
    ['egress', { until: HOUR, egress: false }],
    ['hours', { until: HOUR, hours: 2 }],
  ])('refuses a wrong %s', (name, options) => {
    expect(checkWatch(options, 0)).toMatchObject({ refusal: { code: 'option_invalid', details: { name } } });
  });

  test('accepts 24 hours', () => {
    expect(checkWatch({ until: 24 * HOUR }, 0).ok).toBe(true);
  });
});
