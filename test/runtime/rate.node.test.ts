import { expect, test } from 'vitest';
import type { GrantOption, Runtime, Session } from '../../workers/api.ts';
import { defineCapability, definePower, defineTool } from '../../workers/node.ts';
import { emptyLog, type MemoryLog } from '../../workers/store/memory/store.ts';
import { openAt } from './shared.ts';

const TEXT = { type: 'object', required: ['v'], additionalProperties: false, properties: { v: { type: 'string' } } };
const common = { version: '1.0.0', description: 'For a test.', args: TEXT } as const;
const TOOL = defineTool({ ...common, name: 'h.put', effect: 'egress', labels: [], run: async () => null });
const READ = definePower({ ...common, name: 'p.read', effect: 'read', labels: [], run: async () => 'text' });
const GUEST = defineCapability({
  ...common,
  name: 'guest',
  effect: 'read',
  labels: [],
  powers: ['p.read'],
  source: `export default async (args, { p }) => {
    const said = [];
    for (const v of ['1', '2', '3']) said.push(await p.read({ v }).then(() => 'read', (e) => e.name));
    return said;
  }`,
});
const RATE = [{ calls: 2, windowMs: 1000 }] as const;

/** A process at this clock with the tool, the power and the capability. */
const open = (clock: { now: number }, grants: readonly GrantOption[], log?: MemoryLog): Promise<Runtime> =>
  openAt(clock, { tools: [TOOL], powers: [READ], capabilities: [GUEST], grants }, log);

async function outcome(session: Session, name = 'h.put'): Promise<unknown> {
  const said = await session.call(name, { v: 'x' });
  return said.ok ? (said.value ?? 'sent') : said.refusal.code;
}

/** Closes the session; every check of its export, with the replay of each decision, must pass. */
async function checked(runtime: Runtime, session: Session): Promise<void> {
  await session.close();
  const report = await runtime.ledger.check(await runtime.ledger.export(session.run.id), { replay: true });
  expect(report.checks.filter(({ id, status }) => id !== 'anchor' && status !== 'pass')).toEqual([]);
  await runtime.close();
}

test('a call over the rate of its grant is refused with the time of the next, also after a crash', async () => {
  const [clock, log] = [{ now: 5_000 }, emptyLog()];
  const grants = [{ capability: 'h.put', mode: 'allow', rate: RATE }] as const;
  const before = await open(clock, grants, log);
  const session = before.openSession();
  expect(await outcome(session)).toBe('sent');
  clock.now += 400;
  expect(await outcome(session)).toBe('sent');
  expect(await session.call('h.put', { v: 'x' })).toMatchObject({
    ok: false,
    refusal: { code: 'grant_rate', details: { calls: 2, windowMs: 1000, next: 6_000, after_ms: 600 } },
  });
  const after = await open(clock, grants, log);
  const again = after.openSession({ resume: session.run.id });
  await again.resumed;
  clock.now = 5_999;
  expect(await outcome(again)).toBe('grant_rate');
  clock.now = 6_000;
  expect(await outcome(again)).toBe('sent');
  expect(await outcome(again)).toBe('grant_rate');
  await checked(after, again);
});

test('a power has a rate too, which a use without a record of its own counts for, also after a crash', async () => {
  const [clock, log] = [{ now: 5_000 }, emptyLog()];
  const grants = [
    { capability: 'guest', mode: 'allow' },
    { power: 'p.read', mode: 'allow', rate: RATE },
  ] as const;
  const session = (await open(clock, grants, log)).openSession();
  expect(await outcome(session, 'guest')).toEqual(['read', 'read', 'grant_rate']);
  const after = await open(clock, grants, log);
  const again = after.openSession({ resume: session.run.id });
  await again.resumed;
  clock.now = 5_999;
  expect(await outcome(again, 'guest')).toEqual(['grant_rate', 'grant_rate', 'grant_rate']);
  clock.now = 6_000;
  expect(await outcome(again, 'guest')).toEqual(['read', 'read', 'grant_rate']);
  await checked(after, again);
});

test('a standing answer is held to the rate of the grant that asked, together with its single yeses', async () => {
  const clock = { now: 5_000 };
  const runtime = await open(clock, [{ capability: 'h.put', mode: 'ask', rate: RATE }]);
  let standing = false;
  const session = runtime.openSession({
    approve: async () => ({ approved: true, ...(standing && { standing: { args: 'any' } }) }),
  });
  expect(await outcome(session)).toBe('sent');
  standing = true;
  expect(await outcome(session)).toBe('sent');
  expect(await outcome(session)).toBe('grant_rate');
  clock.now = 6_000;
  expect([await outcome(session), await outcome(session), await outcome(session)]).toEqual([
    'sent',
    'sent',
    'grant_rate',
  ]);
  await checked(runtime, session);
});
