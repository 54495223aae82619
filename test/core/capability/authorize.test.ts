import { describe, expect, test } from 'vitest';
import type { Authorization } from '../../../core/capability/authorize.ts';
import { charge } from '../../../core/capability/charge.ts';
import type { GrantUse } from '../../../core/capability/grant-terms.ts';
import { type Grant, type Refusal } from '../../../core/index.ts';
import { codeIn, decideOn, type Facts, grant } from './calls.ts';

const summary = (authorization: Authorization) =>
  [authorization.decision, codeIn(authorization)].filter((one) => one !== undefined);
const decide = (grants: readonly Grant[], facts?: Facts) => summary(decideOn('math.add', grants, facts));
const where = { type: 'object', properties: { a: { const: 1 } } };
const hashOf = ({ where_hash = '' }: Grant) => where_hash;

describe('a denied call', () => {
  test('a call without a grant is denied', () => {
    expect(decide([])).toEqual(['DENIED_POLICY_VIOLATION', 'no_grant']);
  });

  test('a call of a capability that is not enabled is denied, even with a grant', () => {
    expect(decide([grant('math.add', { mode: 'allow' })], { enabled: [] })).toEqual([
      'DENIED_CAPABILITY_DISABLED',
      'capability_disabled',
    ]);
  });

  test('a call of a capability that is gone is denied before enablement and grants are judged', () => {
    const facts = { registered: false, enabled: [] };
    expect(decide([grant('math.add', { mode: 'deny' })], facts)).toEqual([
      'DENIED_CAPABILITY_NOT_FOUND',
      'capability_gone',
    ]);
  });

  test('a call is denied when only another capability is granted', () => {
    expect(decide([grant('free', { mode: 'allow' })], { enabled: ['math.add', 'free'] })).toEqual([
      'DENIED_POLICY_VIOLATION',
      'no_grant',
    ]);
  });

  test('a call is denied when the grant is for another definition under the same name', () => {
    const other = { ...grant('math.add', { mode: 'allow' }), capability_hash: 'f'.repeat(64) };
    expect(decide([other])).toEqual(['DENIED_POLICY_VIOLATION', 'no_grant']);
  });

  test('a call that a rule permits is denied when another rule denies it', () => {
    expect(decide([grant('math.add', { mode: 'allow' }), grant('math.add', { mode: 'deny' })])).toEqual([
      'DENIED_POLICY_VIOLATION',
      'grant_denied',
    ]);
  });

  test('a denial for a changed definition names both definitions, and another denial beats it', () => {
    const changed = { pinned: 'a'.repeat(64), declared: 'b'.repeat(64) };
    const denied = grant('math.add', { mode: 'deny', changed });
    const decided = decideOn('math.add', [denied, grant('math.add', { mode: 'allow' })]);
    expect('refused' in decided && decided.refused.refusal).toMatchObject({
      code: 'definition_changed',
      details: { name: 'math.add', ...changed },
    });
    expect(decide([denied, grant('math.add', { mode: 'deny' })])).toEqual(['DENIED_POLICY_VIOLATION', 'grant_denied']);
  });

  test('a call that a person approved is denied by a rule', () => {
    const grants = [grant('math.add', { mode: 'ask' }), grant('math.add', { mode: 'deny' })];
    expect(decide(grants, { approved: true })).toEqual(['DENIED_POLICY_VIOLATION', 'grant_denied']);
  });

  test('a call that a person approved is denied when no grant asks for approval', () => {
    expect(decide([], { approved: true })).toEqual(['DENIED_POLICY_VIOLATION', 'no_grant']);
  });
});

describe('a grant', () => {
  test('an allow grant permits the call', () => {
    expect(decide([grant('math.add', { mode: 'allow' })])).toEqual(['AUTHORIZED']);
  });

  test('an ask grant requires a person', () => {
    expect(decide([grant('math.add', { mode: 'ask' })])).toEqual(['REQUIRES_APPROVAL']);
  });

  test('an ask grant permits a call that a person has approved', () => {
    expect(decide([grant('math.add', { mode: 'ask' })], { approved: true })).toEqual(['AUTHORIZED']);
  });

  test('a grant permits the call in the last millisecond before it expires', () => {
    expect(decide([grant('math.add', { mode: 'allow', expires: 1_000 })], { now: 999 })).toEqual(['AUTHORIZED']);
  });

  test('a grant is void at the millisecond at which it expires', () => {
    expect(decide([grant('math.add', { mode: 'allow', expires: 1_000 })], { now: 1_000 })).toEqual([
      'DENIED_POLICY_VIOLATION',
      'grant_expired',
    ]);
  });

  test('an ask grant expires like an allow grant, even for an approved call', () => {
    const asks = [grant('math.add', { mode: 'ask', expires: 1_000 })];
    expect(decide(asks, { now: 1_000, approved: true })).toEqual(['DENIED_POLICY_VIOLATION', 'grant_expired']);
  });

  test('a grant permits its last use', () => {
    const one = grant('math.add', { mode: 'allow', uses: 3 });
    expect(decide([one], { used: [[one, 2]] })).toEqual(['AUTHORIZED']);
  });

  test('a grant is used up after its last use', () => {
    const one = grant('math.add', { mode: 'allow', uses: 3 });
    expect(decideOn('math.add', [one], { used: [[one, 3]] })).toMatchObject({
      decision: 'DENIED_POLICY_VIOLATION',
      refused: {
        refusal: {
          code: 'grant_used_up',
          class: 'authorization',
          step: 'authorize',
          details: { name: 'math.add', uses: 3 },
        },
      },
    });
  });

  test('a grant of 0 uses permits no call', () => {
    expect(decide([grant('math.add', { mode: 'allow', uses: 0 })])).toEqual([
      'DENIED_POLICY_VIOLATION',
      'grant_used_up',
    ]);
  });

  const rates = grant('math.add', { mode: 'allow', rate: [{ calls: 2, windowMs: 100 }] });

  test('a grant permits as many calls as its rate in any window, and says when the next is permitted', () => {
    const at = (now: number, ...recent: number[]) => decideOn('math.add', [rates], { now, times: [[rates, recent]] });
    expect(summary(at(150, 0, 51))).toEqual(['AUTHORIZED']);
    expect(at(150, 60, 70)).toMatchObject({
      decision: 'DENIED_POLICY_VIOLATION',
      refused: {
        refusal: {
          code: 'grant_rate',
          details: { name: 'math.add', calls: 2, windowMs: 100, next: 160, after_ms: 10 },
        },
      },
    });
    expect(summary(at(160, 60, 70))).toEqual(['AUTHORIZED']);
  });

  test('a clock that was set back frees no call of a rate', () => {
    expect(decide([rates], { now: 10, times: [[rates, [500, 501]]] })).toEqual([
      'DENIED_POLICY_VIOLATION',
      'grant_rate',
    ]);
  });

  test('a call over several rates waits for the last of them', () => {
    const rate = [
      { calls: 1, windowMs: 10 },
      { calls: 2, windowMs: 100 },
    ];
    const both = grant('math.add', { mode: 'ask', rate });
    expect(decideOn('math.add', [both], { now: 55, times: [[both, [1, 50]]], approved: true })).toMatchObject({
      refused: { refusal: { code: 'grant_rate', details: { calls: 2, windowMs: 100, next: 101, after_ms: 46 } } },
    });
  });

  test('a use that is kept for an open question is told without a time', () => {
    const refusalOf = (...recent: number[]) => {
      const decided = decideOn('math.add', [rates], { now: 150, times: [[rates, recent]] });
      return (decided as { refused?: { refusal: Refusal } }).refused?.refusal;
    };
    const kept = refusalOf(2 ** 52, 2 ** 52);
    expect(kept?.message).toContain('the next has to wait for a person');
    expect(kept?.details).toEqual({ name: 'math.add', calls: 2, windowMs: 100 });
    // A use of the rate that ends frees a call, however long the question stays open.
    expect(refusalOf(60, 2 ** 52)?.details).toMatchObject({ next: 160, after_ms: 10 });
  });

  test('a denial is not spent by a rate', () => {
    const denial = grant('math.add', { mode: 'deny', rate: [{ calls: 1, windowMs: 100 }] });
    expect(decide([denial], { times: [[denial, [0]]] })).toEqual(['DENIED_POLICY_VIOLATION', 'grant_denied']);
  });

  test('a grant without a count is preferred to a grant with a count', () => {
    const counted = grant('math.add', { mode: 'allow', uses: 1 });
    const free = grant('math.add', { mode: 'allow' });
    expect(decideOn('math.add', [counted, free])).toMatchObject({ decision: 'AUTHORIZED', grant: free });
    expect(decideOn('math.add', [free, counted])).toMatchObject({ decision: 'AUTHORIZED', grant: free });
  });

  test('a grant is charged once for each call', () => {
    const counted = grant('math.add', { mode: 'allow', uses: 2 });
    const authorization = decideOn('math.add', [counted]);
    if (authorization.decision !== 'AUTHORIZED') throw new Error('not authorized');
    const before = new Map([[counted.id, { count: 1, recent: [3] }]]);
    expect(charge(authorization.value, before, 7).used).toEqual(new Map([[counted.id, { count: 2, recent: [3, 7] }]]));
    expect(before).toEqual(new Map([[counted.id, { count: 1, recent: [3] }]]));
  });

  test('a grant remembers the times of no more uses than a rate can count', () => {
    const authorization = decideOn('math.add', [grant('math.add', { mode: 'allow' })]);
    if (authorization.decision !== 'AUTHORIZED') throw new Error('not authorized');
    let used: ReadonlyMap<string, GrantUse> = new Map();
    for (let now = 0; now < 1_002; now++) ({ used } = charge(authorization.value, used, now));
    const { count, recent } = used.get(authorization.grant.id) as GrantUse;
    expect([count, recent.length, recent[0], recent.at(-1)]).toEqual([1_002, 1_000, 2, 1_001]);
  });
});

describe('a constraint', () => {
  const allow = grant('math.add', { mode: 'allow', where });
  const deny = grant('math.add', { mode: 'deny', where });

  test('a grant whose constraint holds permits the call', () => {
    expect(decide([allow], { holds: new Map([[hashOf(allow), true]]) })).toEqual(['AUTHORIZED']);
  });

  test('a grant whose constraint does not hold denies the call for its arguments', () => {
    expect(decide([allow], { holds: new Map([[hashOf(allow), false]]) })).toEqual([
      'DENIED_ARGUMENT_INVALID',
      'grant_constraint',
    ]);
  });

  test('a grant whose constraint could not be judged permits no call', () => {
    expect(decide([allow])).toEqual(['DENIED_ARGUMENT_INVALID', 'grant_constraint']);
  });

  test('a denial whose constraint holds denies the call', () => {
    expect(decide([grant('math.add', { mode: 'allow' }), deny], { holds: new Map([[hashOf(deny), true]]) })).toEqual([
      'DENIED_POLICY_VIOLATION',
      'grant_denied',
    ]);
  });

  test('a denial whose constraint does not hold leaves the call permitted', () => {
    expect(decide([grant('math.add', { mode: 'allow' }), deny], { holds: new Map([[hashOf(deny), false]]) })).toEqual([
      'AUTHORIZED',
    ]);
  });

  test('a denial whose constraint could not be judged denies the call', () => {
    expect(decide([grant('math.add', { mode: 'allow' }), deny])).toEqual(['DENIED_POLICY_VIOLATION', 'grant_denied']);
  });
});
