import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import type { Runtime, SessionOptions } from '../../workers/api.ts';
import { defineTool } from '../../workers/node.ts';
import { openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const read = defineTool({ ...common, name: 'read', effect: 'read', labels: ['private', 'untrusted'], run: () => 1 });
const count = defineTool({ ...common, name: 'count', effect: 'pure', run: () => 1 });
const send = defineTool({ ...common, name: 'send', effect: 'egress', labels: [], run: () => 1 });
const gift = defineTool({ ...common, name: 'gift', effect: 'pure', run: () => 1 });
const grants = [
  { capability: 'read', mode: 'allow' },
  { capability: 'count', mode: 'allow', uses: 2 },
  { capability: 'send', mode: 'allow' },
] as const;

const HOUR = 3_600_000;
const folders: string[] = [];
let runtime: Runtime;
afterEach(async () => {
  vi.useRealTimers();
  await runtime.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A runtime over the same ledger, as after a restart. */
const ledger = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-principals-'));
  folders.push(directory);
  return async () => {
    runtime = await openRuntime({ tools: [read, count, send, gift], grants, store: { directory } });
    return runtime;
  };
};

const session = async (options: SessionOptions) => {
  const opened = runtime.openSession({ questions: 'refuse', ...options });
  const call = async (name: string) => {
    const called = await opened.call(name, {});
    return called.ok ? 'ok' : called.refusal.code;
  };
  return { call, opened };
};

test('a principal’s new run begins with the labels and the counts of the run before, also after a restart', async () => {
  const restart = ledger();
  await restart();
  const first = await session({ principal: 'ada' });
  expect([await first.call('read'), await first.call('count')]).toEqual(['ok', 'ok']);
  await first.opened.close();
  await runtime.close();
  await restart();
  const second = await session({ principal: 'ada' });
  expect(await second.call('send')).toBe('approval_unavailable');
  expect([await second.call('count'), await second.call('count')]).toEqual(['ok', 'grant_used_up']);
  const bob = await session({ principal: 'bob' });
  expect([await bob.call('send'), await bob.call('count')]).toEqual(['ok', 'ok']);
});

test('labels of over 24 hours ago, and those that the program lets go, do not count', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await ledger()();
  const first = await session({ principal: 'ada' });
  await first.call('read');
  await first.opened.close();
  const fresh = await session({ principal: 'ada', labels: 'fresh' });
  expect([await fresh.call('send'), await fresh.call('read')]).toEqual(['ok', 'ok']);
  await fresh.opened.close();
  const after = await session({ principal: 'ada', labels: 'fresh', after: fresh.opened.run.id });
  expect(await after.call('send')).toBe('approval_unavailable');
  const next = await session({ principal: 'eve' });
  await next.call('read');
  await next.opened.close();
  vi.setSystemTime(Date.now() + 24 * HOUR);
  expect(await (await session({ principal: 'eve' })).call('send')).toBe('ok');
});

test('a run of over 24 hours counts from its end on', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const restart = ledger();
  await restart();
  const long = await session({ principal: 'ada' });
  expect(await long.call('count')).toBe('ok');
  vi.setSystemTime(Date.now() + 25 * HOUR);
  expect(await long.call('read')).toBe('ok');
  await runtime.close();
  await restart();
  expect(await (await session({ principal: 'ada' })).call('send')).toBe('approval_unavailable');
});

test('beside an open run a new one begins with its labels, and with all where the past is erased', async () => {
  await ledger()();
  const first = await session({ principal: 'ada' });
  await first.call('read');
  expect(await (await session({ principal: 'ada' })).call('send')).toBe('approval_unavailable');
  const bob = await session({ principal: 'bob' });
  await bob.call('count');
  const { run } = bob.opened;
  await bob.opened.close();
  await runtime.ledger.erase(run.id);
  expect(await (await session({ principal: 'bob' })).call('send')).toBe('approval_unavailable');
});

const principalIn = (first: LedgerRecord | undefined) =>
  first?.kind === 'configuration' ? first.body.principal : undefined;

test('of runs that were open beside each other all labels count', async () => {
  const restart = ledger();
  await restart();
  const one = await session({ principal: 'ada' });
  await one.call('count');
  const two = await session({ principal: 'ada' });
  await two.call('count');
  // another program's sessions go on for their own
  const three = await session({ principal: 'ada', after: two.opened.run.id }).catch(() => two);
  expect(await one.call('read')).toBe('ok');
  for (const { opened } of [one, two, three]) await opened.close().catch(() => undefined);
  expect(await (await session({ principal: 'ada' })).call('send')).toBe('approval_unavailable');
  await runtime.close();
  await restart();
  expect(await (await session({ principal: 'ada' })).call('send')).toBe('approval_unavailable');
  expect(await (await session({ principal: 'bob' })).call('send')).toBe('ok');
});

test('a session that goes on for another leaves the runs of others remembered', async () => {
  await ledger()();
  const one = await session({ principal: 'ada' });
  await one.call('count');
  await one.opened.close();
  const two = await session({ principal: 'ada', labels: 'fresh' });
  await two.call('read');
  await two.opened.close();
  const next = await session({ principal: 'ada', after: one.opened.run.id });
  expect(await next.call('send')).toBe('ok');
  await next.opened.close();
  expect(await (await session({ principal: 'ada' })).call('send')).toBe('approval_unavailable');
});

test('records name a principal by a hash that no other ledger has', async () => {
  const hashes: unknown[] = [];
  for (const principal of ['ada@example.org', 'ada@example.org', 'bob@example.org']) {
    if (hashes.length === 0) await ledger()();
    const { opened, call } = await session({ principal });
    await call('count');
    const [first] = await runtime.ledger.records(opened.run.id);
    hashes.push(principalIn(first));
    await opened.close();
    expect((await runtime.ledger.verify(opened.run.id)).ok).toBe(true);
    expect(await runtime.ledger.export(opened.run.id)).not.toContain(principal);
  }
  expect(hashes[0]).toMatch(/^[\da-f]{64}$/);
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
  await runtime.close();
  await ledger()();
  const { opened, call } = await session({ principal: 'ada@example.org' });
  await call('count');
  const [first] = await runtime.ledger.records(opened.run.id);
  expect(principalIn(first)).not.toBe(hashes[0]);
});

test('a grant for principals is for their runs alone', async () => {
  await ledger()();
  const given = await runtime.grants.grant({ capability: 'gift', mode: 'allow', for: ['ada', 'eve'] });
  expect(given.for).toHaveLength(2);
  expect(JSON.stringify(given)).not.toMatch(/"ada"|"eve"/);
  for (const [principal, outcome] of [
    ['ada', 'ok'],
    ['bob', 'no_grant'],
    [undefined, 'no_grant'],
  ] as const) {
    const { call, opened } = await session({ ...(principal && { principal }) });
    expect(await call('gift'), principal).toBe(outcome);
    expect(await runtime.ledger.export(opened.run.id, { secrets: true })).not.toMatch(/"eve"|"ada"/);
  }
});

test('a denial for principals is for them, and for a run that names nobody', async () => {
  await ledger()();
  await runtime.grants.grant({ capability: 'gift', mode: 'allow' });
  await runtime.grants.grant({ capability: 'gift', mode: 'deny', for: ['eve'] });
  for (const [principal, outcome] of [
    ['ada', 'ok'],
    ['eve', 'grant_denied'],
    [undefined, 'grant_denied'],
  ] as const) {
    const { call } = await session({ ...(principal && { principal }) });
    expect(await call('gift'), principal).toBe(outcome);
  }
});

test.each([
  ['nobody', []],
  ['an empty text', ['']],
  ['a number', [1]],
  ['a text that is no list', 'ada'],
  ['a text of 513 characters', ['x'.repeat(513)]],
])('a grant for %s is refused', async (_, wrong) => {
  await ledger()();
  const granted = runtime.grants.grant({ capability: 'gift', mode: 'allow', for: wrong as never });
  await expect(granted).rejects.toMatchObject({ code: 'option_invalid', details: { name: 'for' } });
});
