import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Authorization } from '../../../core/capability/authorize.ts';
import { type Grant, makePolicy } from '../../../core/capability/policy.ts';
import { caseCount } from '../../cases.ts';
import { capability, decideOn, grant } from './calls.ts';

const hashOf = ({ where_hash = '' }: Grant) => where_hash;

/** Arbitrary rules for two capabilities, and arbitrary facts to judge them by. */
const WHERES = [{ type: 'object' }, { minProperties: 1 }, { maxProperties: 3 }] as const;
const terms = fc.record(
  {
    mode: fc.constantFrom('allow', 'ask', 'deny'),
    where: fc.constantFrom(...WHERES),
    uses: fc.nat({ max: 3 }),
    expires: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: ['mode'] },
);
const rule = fc.tuple(fc.constantFrom('math.add', 'free'), terms).map(([name, chosen]) => grant(name, chosen));
const rules = fc.uniqueArray(rule, { maxLength: 8, selector: (one) => JSON.stringify(one) });
const WHERE_HASHES = WHERES.map((one) => hashOf(grant('free', { mode: 'allow', where: one })));
const judged = fc.constantFrom(true, false, undefined);
const holds = fc
  .tuple(judged, judged, judged)
  .map(
    (said) => new Map(said.flatMap((one, at) => (one === undefined ? [] : [[WHERE_HASHES[at] ?? '', one] as const]))),
  );
const facts = fc.record({
  now: fc.integer({ min: 0, max: 11 }),
  approved: fc.boolean(),
  holds,
  counts: fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 8 }),
});
const situation = fc.tuple(rules, facts);

type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;
const authorizationOf = ([grants, { counts, ...rest }]: Situation, all: readonly Grant[] = grants) =>
  decideOn('math.add', all, {
    ...rest,
    enabled: ['math.add', 'free'],
    used: grants.map((one, at) => [one, counts[at] ?? 0]),
  });
const POWER: { readonly [decision: string]: number } = { AUTHORIZED: 2, REQUIRES_APPROVAL: 1 };
const power = (authorization: Authorization) => POWER[authorization.decision] ?? 0;

describe('authority', () => {
  test('a decision does not depend on the order of rules, over 10,000 shuffles', () => {
    const shuffled = situation.chain((one) =>
      fc.tuple(fc.constant(one), fc.shuffledSubarray([...one[0]], { minLength: one[0].length })),
    );
    fc.assert(
      fc.property(shuffled, ([one, order]) => {
        const policy = makePolicy(['b', 'a'], one[0]);
        expect(makePolicy(['a', 'b'], order)).toEqual(policy);
        expect(authorizationOf(one, order)).toEqual(authorizationOf(one));
      }),
      { numRuns: caseCount(10_000) },
    );
  });

  test('authorize yields a known decision, and each refusal has class and step of authorization', () => {
    fc.assert(
      fc.property(situation, (one) => {
        const authorization = authorizationOf(one);
        if ('refused' in authorization)
          expect(authorization.refused.refusal).toMatchObject({ class: 'authorization', step: 'authorize' });
        else expect(['AUTHORIZED', 'REQUIRES_APPROVAL']).toContain(authorization.decision);
      }),
    );
  });

  test('a permission comes from a live grant of the called capability and from no other grant', () => {
    fc.assert(
      fc.property(situation, (one) => {
        const [grants, { now, holds: said, approved }] = one;
        const authorization = authorizationOf(one);
        if (!('grant' in authorization)) return;
        const by = authorization.grant;
        expect(grants).toContain(by);
        expect(by.capability_hash).toBe(capability('math.add').hash);
        expect(
          by.mode === 'allow' || (by.mode === 'ask' && (approved || authorization.decision === 'REQUIRES_APPROVAL')),
        ).toBe(true);
        expect(by.expires === undefined || now < by.expires).toBe(true);
        expect(by.where_hash === undefined || said.get(by.where_hash) === true).toBe(true);
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  test('a denial that is added never widens the decision', () => {
    const more = fc.tuple(
      situation,
      terms.map((chosen) => grant('math.add', { ...chosen, mode: 'deny' })),
    );
    fc.assert(
      fc.property(
        more,
        ([one, denial]) => power(authorizationOf(one, [...one[0], denial])) <= power(authorizationOf(one)),
      ),
      { numRuns: caseCount(2_000) },
    );
  });

  test('a permission that is taken away never widens the decision', () => {
    const less = fc.tuple(situation, fc.nat({ max: 7 }));
    fc.assert(
      fc.property(less, ([one, at]) => {
        const rest = one[0].filter((rule, index) => rule.mode === 'deny' || index !== at);
        return power(authorizationOf(one, rest)) <= power(authorizationOf(one));
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  test('a constraint, an expiry or a question added to a permission never widens the decision', () => {
    const narrowed = fc.tuple(
      situation,
      fc.nat({ max: 7 }),
      fc.constantFrom('where', 'expires', 'ask'),
      fc.constantFrom(...WHERES),
      fc.integer({ min: 0, max: 10 }),
    );
    fc.assert(
      fc.property(narrowed, ([one, at, how, constraint, expires]) => {
        const [grants, chosen] = one;
        const narrow = (rule: Grant): Grant => {
          if (rule.mode === 'deny') return rule;
          const { where_hash: _, ...bare } = rule;
          if (how === 'where')
            return rule.where === undefined ? grant(rule.capability, { ...bare, where: constraint }) : rule;
          if (how === 'expires') return { ...rule, expires: Math.min(rule.expires ?? 10, expires) };
          return { ...rule, mode: 'ask' };
        };
        const after = grants.map((rule, index) => (index === at ? narrow(rule) : rule));
        const used = after.map((rule, index) => [rule, chosen.counts[index] ?? 0] as const);
        const narrower = decideOn('math.add', after, { ...chosen, enabled: ['math.add', 'free'], used });
        return power(narrower) <= power(authorizationOf(one));
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  test('time never widens the decision when only permissions expire', () => {
    fc.assert(
      fc.property(situation, fc.nat({ max: 12 }), ([grants, chosen], later) => {
        const lasting = grants.map(({ expires, ...rest }) =>
          rest.mode === 'deny' || expires === undefined ? rest : { ...rest, expires },
        );
        const at = (now: number) => power(authorizationOf([lasting, { ...chosen, now }]));
        return at(chosen.now + later) <= at(chosen.now);
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  test('a constraint that cannot be judged any more never widens the decision', () => {
    fc.assert(
      fc.property(situation, fc.constantFrom(...WHERE_HASHES), ([grants, chosen], lost) => {
        const less = new Map(chosen.holds);
        less.delete(lost);
        return power(authorizationOf([grants, { ...chosen, holds: less }])) <= power(authorizationOf([grants, chosen]));
      }),
      { numRuns: caseCount(2_000) },
    );
  });
});
