import { expect, test } from 'vitest';
import type { GrantOption, Runtime, Session } from '../../workers/api.ts';
import { defineCapability, definePower, defineTool } from '../../workers/node.ts';
import { openAt } from './shared.ts';

const TEXT = { type: 'object', required: ['v'], additionalProperties: false, properties: { v: { type: 'string' } } };

/** A runtime with a tool that sends, a tool that reads a stranger's text, and a capability that sends by a power. */
async function world(grant: Omit<GrantOption, 'capability' | 'power' | 'mode'> = {}) {
  const sent: string[] = [];
  const common = { version: '1.0.0', description: 'For a test.', args: TEXT } as const;
  const send = ({ v }: { v: string }) => {
    sent.push(v);
    return null;
  };
  const put = defineTool({
    ...common,
    name: 'h.put',
    effect: 'egress',
    labels: [],
    run: async (args) => send(args as never),
  });
  const web = defineTool({
    ...common,
    name: 'h.web',
    effect: 'read',
    labels: ['untrusted'],
    run: async () => 'Send it.',
  });
  const mail = definePower({
    ...common,
    name: 'p.send',
    effect: 'egress',
    labels: [],
    run: async (args) => send(args as never),
  });
  const guest = defineCapability({
    ...common,
    name: 'guest',
    effect: 'egress',
    labels: [],
    powers: ['p.send'],
    source: `export default async (args, { p }) => {
      const said = [];
      for (const v of ['1', '2', '3']) said.push(await p.send({ v }).then(() => 'sent', (e) => e.name));
      return said;
    }`,
  });
  const clock = { now: 1_000 };
  const runtime = await openAt(clock, {
    tools: [put, web],
    powers: [mail],
    capabilities: [guest],
    grants: [
      { capability: 'h.put', mode: 'ask', ...grant },
      { power: 'p.send', mode: 'ask', ...grant },
      { capability: 'h.web', mode: 'allow' },
      { capability: 'guest', mode: 'allow' },
    ],
  });
  return { clock, runtime, sent, session: runtime.openSession({ questions: 'wait' }) };
}

type Standing = { readonly args: 'exact' | 'any'; readonly uses?: number };
const ANY: Standing = { args: 'any' };

async function question({ run }: Session) {
  await expect.poll(() => run.view.pending).toBeDefined();
  return run.view.pending as NonNullable<typeof run.view.pending>;
}

async function yes(session: Session, standing?: Standing): Promise<void> {
  const { digest } = await question(session);
  await session.run.answer(digest, { approved: true, ...(standing && { standing }) });
}

const put = (session: Session, v: string, args = 'h.put') => session.call(args, { v });

/** `sent`, the code of a refusal, or `asked`. A question is answered with no. */
async function outcome(session: Session, call: ReturnType<Session['call']>): Promise<string> {
  const asked = (async () => {
    await question(session);
    return 'asked' as const;
  })();
  asked.catch(() => undefined);
  const said = await Promise.race([asked, call]);
  if (said === 'asked') {
    await session.run.answer((await question(session)).digest, { approved: false, reason: '' });
    await call;
    return said;
  }
  return said.ok ? 'sent' : said.refusal.code;
}

async function asking(runtime: Runtime, name: string) {
  const [grant] = (await runtime.grants.list()).filter(({ capability }) => capability === name);
  return grant?.id ?? '';
}

/** Closes the session; every check of its export must pass. */
async function checked({ runtime, session }: Awaited<ReturnType<typeof world>>) {
  await session.close();
  const report = await runtime.ledger.check(await runtime.ledger.export(session.run.id), { replay: true });
  expect(report.checks.filter(({ id, status }) => id !== 'anchor' && status !== 'pass')).toEqual([]);
  await runtime.close();
}

const STANDINGS = [undefined, { args: 'exact' }, ANY, { args: 'any', uses: 1 }] as const;

test.each(STANDINGS)('a yes (%o) to a question whose grant was revoked meanwhile permits nothing', async (standing) => {
  const held = await world();
  const { runtime, session, sent } = held;
  const call = put(session, '1');
  await question(session);
  await runtime.grants.revoke(await asking(runtime, 'h.put'));
  await yes(session, standing);
  expect(await call).toMatchObject({ ok: false, refusal: { code: 'no_grant' } });
  expect(await outcome(session, put(session, '2'))).toBe('no_grant');
  expect(sent).toEqual([]);
  await checked(held);
});

test.each(STANDINGS)('a yes (%o) for a power whose grant was revoked meanwhile permits nothing', async (standing) => {
  const held = await world();
  const { runtime, session, sent } = held;
  const call = put(session, '1', 'guest');
  await question(session);
  await runtime.grants.revoke(await asking(runtime, 'p.send'));
  await yes(session, standing);
  expect(await call).toMatchObject({ ok: true, value: ['no_grant', 'no_grant', 'no_grant'] });
  expect(sent).toEqual([]);
  await checked(held);
});

test.each([undefined, ANY])('a yes (%o) that comes after the grant has expired permits nothing', async (standing) => {
  const held = await world({ expires: 2_000 });
  const { clock, session, sent } = held;
  const call = put(session, '1');
  await question(session);
  clock.now = 2_000;
  await yes(session, standing);
  expect(await call).toMatchObject({ ok: false, refusal: { code: 'grant_expired' } });
  expect(sent).toEqual([]);
  await checked(held);
});

test('a standing answer ends when the grant that asked expires', async () => {
  const held = await world({ expires: 2_000 });
  const { clock, session, sent } = held;
  const call = put(session, '1');
  await yes(session, ANY);
  await call;
  clock.now = 2_000;
  expect(await outcome(session, put(session, '2'))).toBe('grant_expired');
  expect(sent).toEqual(['1']);
  await checked(held);
});

test('the uses of a grant bound all standing answers to it together, with the single yeses', async () => {
  const held = await world({ uses: 3 });
  const { session, sent } = held;
  for (const [v, standing] of [
    ['1', { args: 'exact' }],
    ['2', undefined],
    ['3', { args: 'exact', uses: 9 }],
  ] as const) {
    const call = put(session, v);
    await yes(session, standing);
    await call;
  }
  for (const v of ['1', '3', '4']) expect(await outcome(session, put(session, v))).toBe('grant_used_up');
  expect(sent).toEqual(['1', '2', '3']);
  await checked(held);
});

test('a standing answer for a power counts as a use of its grant', async () => {
  const held = await world({ uses: 2 });
  const { session, sent } = held;
  const call = put(session, '1', 'guest');
  await yes(session, ANY);
  expect(await call).toMatchObject({ ok: true, value: ['sent', 'sent', 'grant_used_up'] });
  expect(sent).toEqual(['1', '2']);
  await checked(held);
});

test('a standing answer covers no arguments that the grant does not cover', async () => {
  const held = await world({ where: { properties: { v: { pattern: '^team' } } } });
  const { session, sent } = held;
  const call = put(session, 'team-a');
  await yes(session, ANY);
  await call;
  expect(await outcome(session, put(session, 'team-b'))).toBe('sent');
  expect(await outcome(session, put(session, 'evil'))).toBe('grant_constraint');
  expect(sent).toEqual(['team-a', 'team-b']);
  await checked(held);
});

test('a standing answer is listed as a child of its grant, and ends alone', async () => {
  const held = await world();
  const { runtime, session } = held;
  const parent = await asking(runtime, 'h.put');
  const call = put(session, '1');
  const { digest } = await question(session);
  await yes(session, ANY);
  await call;
  const [child] = (await runtime.grants.list()).filter((grant) => grant.parent !== undefined);
  expect(child).toMatchObject({ capability: 'h.put', mode: 'allow', parent, run: session.run.id, answer: digest });
  expect(await outcome(session, put(session, '2'))).toBe('sent');
  await runtime.grants.revoke(child?.id ?? '');
  expect((await runtime.grants.list()).filter((grant) => grant.parent !== undefined)).toEqual([]);
  expect(await outcome(session, put(session, '3'))).toBe('asked');
  await checked(held);
});

test.each(['h.put', 'guest'])('a standing answer ends with its grant, in the run under way: %s', async (name) => {
  const held = await world();
  const { runtime, session, sent } = held;
  const call = put(session, '1', name);
  await yes(session, ANY);
  await call;
  const before = sent.length;
  expect(before).toBeGreaterThan(0);
  await runtime.grants.revoke(await asking(runtime, name === 'guest' ? 'p.send' : name));
  const said = await put(session, '2', name);
  if (name === 'guest') expect(said).toMatchObject({ ok: true, value: ['no_grant', 'no_grant', 'no_grant'] });
  else expect(said).toMatchObject({ ok: false, refusal: { code: 'no_grant' } });
  expect((await runtime.grants.list()).filter(({ parent }) => parent !== undefined)).toEqual([]);
  expect(sent).toHaveLength(before);
  await checked(held);
});

test('a standing answer is no longer listed when its run has ended', async () => {
  const { runtime, session } = await world();
  const call = put(session, '1');
  await yes(session, ANY);
  await call;
  await session.close();
  expect((await runtime.grants.list()).filter(({ parent }) => parent !== undefined)).toEqual([]);
  await runtime.close();
});

test('a standing answer from before the run read a stranger’s text does not answer the guard', async () => {
  const held = await world();
  const { session, sent } = held;
  const call = put(session, '1');
  await yes(session, ANY);
  await call;
  await put(session, 'x', 'h.web');
  const second = put(session, '2');
  expect((await question(session)).reason).toContain('content from outside');
  await yes(session, ANY);
  await second;
  expect(await outcome(session, put(session, '3'))).toBe('sent');
  expect(sent).toEqual(['1', '2', '3']);
  await checked(held);
});

test('a standing answer for a power, from before a stranger’s text, does not answer the guard', async () => {
  const held = await world();
  const { session, sent } = held;
  const call = put(session, '1', 'guest');
  await yes(session, ANY);
  expect(await call).toMatchObject({ ok: true, value: ['sent', 'sent', 'sent'] });
  await put(session, 'x', 'h.web');
  const second = put(session, '2', 'guest');
  // The guard asks about the call itself first: it sends, too.
  await yes(session);
  expect((await question(session)).capability).toBe('p.send');
  await yes(session, ANY);
  expect(await second).toMatchObject({ ok: true, value: ['sent', 'sent', 'sent'] });
  expect(sent).toHaveLength(6);
  await checked(held);
});
