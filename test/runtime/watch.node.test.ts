import { afterEach, describe, expect, test } from 'vitest';
import { defineCapability } from '../../core/index.ts';
import { parseExport } from '../../core/ledger/export.ts';
import { usesInExport } from '../../core/privilege/history.ts';
import type { Runtime, Session } from '../../workers/api.ts';
import { definePower, defineTool, type NodeOptions } from '../../workers/node.ts';
import { rewrite } from '../core/replay/rewrite.ts';
import { expectReplayed, verified } from './replayed.ts';
import { openRuntime } from './shared.ts';

const HOUR = 3_600_000;
const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const tool = (name: string, effect: 'read' | 'write' | 'egress', more: object = {}) =>
  defineTool({ ...common, name, effect, labels: [], run: () => 'done', ...more });
const GUEST = defineCapability({
  ...common,
  name: 'guest',
  effect: 'read',
  labels: [],
  powers: ['page.look'],
  source: 'export default async (_, { page }) => page.look({});',
});
const LOOK = definePower({ ...common, name: 'page.look', effect: 'read', labels: [], run: async () => 'seen' });
const TOOLS = [
  tool('get', 'read'),
  tool('put', 'write'),
  tool('send', 'egress'),
  tool('page', 'read', { labels: ['untrusted'] }),
];

let open: Runtime | undefined;
afterEach(async () => open?.close());

async function opened(more: NodeOptions = {}): Promise<Runtime> {
  open = await openRuntime({ tools: TOOLS, capabilities: [GUEST], powers: [LOOK], ...more });
  return open;
}

/** Codes and decisions of calls in a session of their own, whose export is replayed. */
async function tried(
  runtime: Runtime,
  names: readonly string[],
  during?: (session: Session, name: string) => Promise<void>,
) {
  const session = runtime.openSession();
  const codes: string[] = [];
  for (const name of names) {
    await during?.(session, name);
    const { status, reason } = await session.call(name, {}).then(codeOf);
    codes.push(reason ?? status);
  }
  await session.close();
  const text = await runtime.ledger.export(session.run.id);
  await expectReplayed(text);
  return { codes, text };
}

const codeOf = (outcome: Awaited<ReturnType<Session['call']>>) =>
  outcome.ok ? { status: 'ran', reason: undefined } : { status: 'refused', reason: outcome.refusal.code as string };

const until = () => Date.now() + HOUR;

describe('a watch of a runtime', () => {
  test('lets calls without a grant run, says so in their decisions, and ends when it is revoked', async () => {
    const runtime = await opened();
    expect((await tried(runtime, ['get', 'put', 'guest'])).codes).toEqual(['no_grant', 'no_grant', 'no_grant']);
    const watch = await runtime.grants.watch({ until: until(), note: 'first day' });
    expect((await runtime.grants.list()).length).toBe(watch.grants.length);
    const { codes, text } = await tried(runtime, ['get', 'put', 'guest', 'send', 'put'], async (_, name) => {
      if (name === 'send') await runtime.grants.revoke(watch.id);
    });
    expect(codes).toEqual(['ran', 'ran', 'ran', 'no_grant', 'no_grant']);
    const file = parseExport(text);
    const said = usesInExport(file).map(({ name, end, watched = false }) => [name, end, watched]);
    expect(said).toEqual([
      ['get', 'ran', true],
      ['put', 'ran', true],
      ['guest', 'ran', true],
      ['page.look', 'ran', true],
      ['send', 'refused', false],
      ['put', 'refused', false],
    ]);
    expect(await runtime.grants.list()).toEqual([]);
    expect((await tried(runtime, ['get'])).codes).toEqual(['no_grant']);
  });

  test('is told by each of its decisions: a file that leaves it out fails the check', async () => {
    const runtime = await opened();
    await runtime.grants.watch({ until: until() });
    const { text } = await tried(runtime, ['get', 'guest']);
    const forged = rewrite(text, ({ kind, body }) => {
      if (kind !== 'decision') return body;
      const { watched: _, ...others } = body as { readonly watched?: true };
      return others as typeof body;
    });
    const failed = (await verified(forged)).checks.flatMap(({ status, id }) => (status === 'fail' ? [id] : []));
    expect(failed).toEqual(['decisions']);
  });

  test('leaves grants, the guard, and what is provided later', async () => {
    const runtime = await opened({
      grants: [{ capability: 'put', mode: 'ask' }],
      approve: async () => ({ approved: false, reason: 'no' }),
    });
    await runtime.grants.watch({ until: until() });
    await runtime.tools.provide(tool('late', 'read'));
    const { codes } = await tried(runtime, ['put', 'send', 'late', 'page', 'send']);
    expect(codes).toEqual(['approval_denied', 'approval_denied', 'no_grant', 'ran', 'approval_denied']);
  });

  test('lets what leaves the device run where the person has ticked it', async () => {
    const runtime = await opened();
    await runtime.grants.watch({ until: until(), egress: true, capabilities: ['send'] });
    expect((await tried(runtime, ['send', 'get'])).codes).toEqual(['ran', 'no_grant']);
  });

  test('is refused without an end, beyond a day, and for unknown names', async () => {
    const runtime = await opened();
    await expect(runtime.grants.watch({} as never)).rejects.toThrow('until');
    await expect(runtime.grants.watch({ until: Date.now() + 25 * HOUR })).rejects.toThrow('until');
    await expect(runtime.grants.watch({ until: until(), capabilities: ['nothing'] })).rejects.toMatchObject({
      code: 'unknown_capability',
    });
    await expect(runtime.grants.watch(2 as never)).rejects.toMatchObject({ code: 'option_invalid' });
  });

  test('is a row of what is allowed now, with its uses, and is taken back by its id', async () => {
    const runtime = await opened({ grants: [{ capability: 'put', mode: 'allow' }] });
    const { id } = await runtime.grants.watch({ until: until() });
    await tried(runtime, ['get', 'get', 'guest', 'put']);
    const { rows, since, sources } = await runtime.grants.allowed();
    expect(Object.fromEntries(rows.map(({ by, uses, runCount }) => [by, [uses, runCount]]))).toEqual({
      program: [1, 1],
      watch: [4, 1],
    });
    expect([typeof since, sources]).toEqual(['number', []]);
    for (const row of rows) await runtime.grants.revoke(row.id);
    expect(rows.some((row) => row.id === id)).toBe(true);
    expect((await runtime.grants.allowed()).rows).toEqual([]);
  });

  test('does not let the model read held values', async () => {
    const runtime = await opened({ hold: 'all' });
    await runtime.grants.watch({ until: until() });
    const session = runtime.openSession();
    await session.call('get', {});
    const read = await session.call('held.read', { handle: { $held: 'h1' } });
    expect(codeOf(read).reason).toBe('approval_unavailable');
    await session.close();
  });
});
