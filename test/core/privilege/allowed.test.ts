import { describe, expect, test } from 'vitest';
import { type Grant, makeGrant, standingChild } from '../../../core/capability/policy.ts';
import { makeWatch } from '../../../core/capability/watch.ts';
import { allowedNow, DECISIONS_MAX, joinedPermissions, type PastPermissions } from '../../../core/privilege/allowed.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const READ = { name: 'files.read', hash: 'a'.repeat(64), effect: 'read' } as const;
const SEND = { name: 'mail.send', hash: 'b'.repeat(64), effect: 'egress' } as const;
const read = makeGrant(READ, { mode: 'allow' });
const send = makeGrant(SEND, { mode: 'ask' });
const DIGEST = 'd'.repeat(64);
const child = standingChild(send, { run: 'r2', answer: DIGEST, labels: [] }) as Grant;
const answer = { run_id: 'r2', step: 3, digest: DIGEST, grant: child };
const used = (grant: Grant, now: number, run_id = 'r1') => ({ run_id, step: 1, grant: grant.id, now });
const past = (more: Partial<PastPermissions> = {}): PastPermissions => ({
  permissions: [],
  answers: [],
  since: DAY,
  ...more,
});
const rows = (grants: readonly Grant[], more: Partial<Parameters<typeof allowedNow>[1]> = {}) =>
  allowedNow(grants, { history: past(), now: NOW, ...more }).rows;

describe('what is allowed now', () => {
  test('is told with its uses, its last use, its runs and what takes it back', () => {
    const permissions = [used(read, NOW - 3), used(read, NOW - 2, 'r2'), used(read, NOW - 1, 'r2')];
    expect(rows([read], { history: past({ permissions }) })).toEqual([
      {
        by: 'program',
        names: ['files.read'],
        grants: [read],
        id: read.id,
        uses: 3,
        last: NOW - 1,
        runs: ['r2', 'r1'],
        runCount: 2,
      },
    ]);
  });

  test('names the question of a standing answer, whose uses are uses of the grant that asked, too', () => {
    const history = past({ permissions: [used(child, NOW - 1, 'r2'), used(send, NOW - 2)], answers: [answer] });
    const [first, second] = rows([send, child], { history });
    expect([first?.by, first?.uses, first?.question]).toEqual(['answer', 1, { run_id: 'r2', step: 3, digest: DIGEST }]);
    expect([second?.by, second?.uses, second?.question]).toEqual(['program', 2, undefined]);
  });

  test('names the question behind an Always of a configuration', () => {
    const always = makeGrant(SEND, { mode: 'allow' });
    const told = rows([always], { history: past({ answers: [answer] }), by: () => 'always' });
    expect(told).toMatchObject([{ by: 'always', question: { run_id: 'r2', step: 3 } }]);
  });

  test('has a watch as one row with all that it lifts, until it ends', () => {
    const watch = makeWatch([READ, SEND], { until: NOW + 1, egress: true });
    const history = past({ permissions: watch.grants.map((grant) => used(grant, NOW - 1)) });
    expect(rows(watch.grants, { history })).toMatchObject([
      { by: 'watch', id: watch.id, names: ['files.read', 'mail.send'], uses: 2, runCount: 1 },
    ]);
    expect(rows(watch.grants, { history, now: NOW + 1 })).toEqual([]);
  });

  test('leaves out what permits nothing: denials, what has ended, and a question that stands for no grant', () => {
    const none = [
      makeGrant(READ, { mode: 'deny' }),
      makeGrant(READ, { mode: 'allow', expires: NOW }),
      makeGrant(READ, { mode: 'ask', fallback: true }),
    ];
    expect(rows(none)).toEqual([]);
    expect(rows([makeGrant(READ, { mode: 'allow', fallback: true })])).toHaveLength(1);
  });

  test.each<readonly [name: string, history: PastPermissions, isUnused: boolean]>([
    ['used 30 days ago', past({ permissions: [used(read, NOW - 30 * DAY)] }), true],
    ['used a moment later', past({ permissions: [used(read, NOW - 30 * DAY + 1)] }), false],
    ['never used in a longer time', past({ since: NOW - 30 * DAY }), true],
    ['never used in a shorter time', past({ since: NOW - DAY }), false],
    ['without any record', { permissions: [], answers: [] }, false],
  ])('marks what was %s', (_, history, isUnused) => {
    expect(rows([read], { history })[0]?.isUnused ?? false).toBe(isUnused);
  });

  test('is counted over the newest decisions, and says since when', () => {
    const many = Array.from({ length: DECISIONS_MAX }, (_, nth) => used(read, NOW - nth));
    const runs = [past({ permissions: many, since: 50 * DAY }), past({ permissions: [used(read, 1)] })];
    const { isCut, ...history } = joinedPermissions(runs);
    const allowed = allowedNow([read], { history, now: NOW, isCut });
    expect([allowed.since, allowed.isCut, allowed.rows[0]?.uses]).toEqual([50 * DAY, true, DECISIONS_MAX]);
    const whole = joinedPermissions(runs.slice(0, 1));
    expect([whole.isCut, whole.since]).toEqual([false, 50 * DAY]);
  });

  test('does not depend on the order of the grants', () => {
    const all = [send, read, child];
    expect(rows(all)).toEqual(rows(all.toReversed()));
  });
});
