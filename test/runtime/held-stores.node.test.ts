import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Bodies, Label } from '../../core/index.ts';
import type { Runtime, Session } from '../../workers/api.ts';
import { defineCapability, defineTool, fromScript, type NodeOptions } from '../../workers/node.ts';
import { expectReplayed, verified } from './replayed.ts';
import { openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const ANY = ['private', 'untrusted'] as const;
const X = { type: 'object', properties: { x: {} }, additionalProperties: false } as const;
const MAIL_ORIGIN = 'mcp:https://mail.example';
const mail = defineTool({ ...common, name: 'mail', effect: 'read', args: {}, held: true, run: () => 'secret mail' });
const sent: unknown[] = [];
const server = { ...common, effect: 'write', labels: [], args: X, origin: MAIL_ORIGIN } as const;
const file = defineTool({ ...server, name: 'file', run: ({ x }) => (sent.push(x), 'filed') });
const look = defineTool({ ...server, name: 'look', run: () => 'seen' });
const clock = defineTool({ ...common, name: 'clock', effect: 'read', labels: [], args: {}, run: () => 12 });
const mute = defineTool({ ...server, name: 'mute', origin: 'mcp:https://mute.example', echoes: false, run: () => 0 });
/** A capability whose argument names its action. */
const notes = defineCapability({
  ...common,
  name: 'notes',
  effect: 'write',
  labels: [],
  args: { type: 'object', properties: { does: { type: 'string' }, x: {} } },
  powers: ['store.get', 'store.put'],
  source: `export default async ({ does, x = null }, { store }) => {
    if (does === 'put') return store.put('note', x);
    if (does === 'quiet') return null;
    return store.get(does).catch(({ name }) => name);
  }`,
});
const grants: NonNullable<NodeOptions['grants']> = ['mail', 'file', 'look', 'clock', 'mute', 'notes'].map((name) => ({
  capability: name,
  mode: 'allow',
  ...(name !== 'mail' && name !== 'clock' && name !== 'notes' && { accepts: { '/x': ANY } }),
}));

let open: Runtime | undefined;
const asked: string[] = [];
const stores: string[] = [];
afterEach(async () => {
  await open?.close();
  asked.length = 0;
  sent.length = 0;
  for (const store of stores.splice(0)) rmSync(store, { recursive: true });
});

async function opened(more: NodeOptions = {}): Promise<Runtime> {
  open = await openRuntime({
    tools: [mail, file, look, clock, mute],
    capabilities: [notes],
    grants,
    approve: async ({ reason }) => {
      asked.push(reason);
      return { approved: true };
    },
    ...more,
  });
  return open;
}

const FREE = ['look', 'clock', 'notes'];

/** A session that offers nothing that holds by itself. */
const free = (runtime: Runtime): Session => runtime.openSession({ offer: FREE });

async function closed(runtime: Runtime, session: Session): Promise<Bodies['configuration']> {
  await session.close();
  await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  expect((await verified(await runtime.ledger.export(session.run.id))).ok).toBe(true);
  const [first] = await runtime.ledger.records(session.run.id);
  return first?.body as Bodies['configuration'];
}

/** Labels of the context behind the first step. */
async function labelsOf(runtime: Runtime, { run }: Session): Promise<readonly Label[] | undefined> {
  const records = await runtime.ledger.records(run.id);
  return records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body.evidence.labels] : []))[0];
}

/** A run that stores the mail which its model has not read. */
async function keepMail(runtime: Runtime): Promise<void> {
  const session = runtime.openSession();
  await session.call('mail', {});
  expect((await session.call('notes', { does: 'put', x: { $held: 'h1' } })).held).toBe('h2');
  // in the same run a call that can reach the store is held, too
  expect((await session.call('notes', { does: 'other' })).held).toBe('h3');
  await closed(runtime, session);
}

const STORE = { source: 'store:notes', labels: ANY, held: true } as const;

describe('a store with values of held calls', () => {
  test.each(['memory', 'directory'] as const)('holds in later runs, in a store in %s', async (kind) => {
    const directory = mkdtempSync(join(tmpdir(), 'held-store-'));
    stores.push(directory);
    const store = kind === 'memory' ? 'memory' : ({ directory } as const);
    const first = await opened({ store });
    const before = free(first);
    expect(await before.call('notes', { does: 'put', x: 1 })).toMatchObject({ ok: true, value: null });
    expect((await closed(first, before)).holding).toBeUndefined();
    const stale = free(first);
    expect(await stale.call('notes', { does: 'note' })).toMatchObject({ value: 1 });
    await keepMail(first);
    expect(await first.capabilities.stored()).toMatchObject([
      { key: 'note', value: 'secret mail', labels: ANY, held: true },
    ]);
    // this run began before: its model would read what the other one has not
    expect(await stale.call('notes', { does: 'note' })).toMatchObject({ ok: true, value: 'store_held' });
    expect(await stale.call('notes', { does: 'quiet' })).toMatchObject({ ok: true, value: null });
    await closed(first, stale);
    if (kind === 'directory') await first.close();
    const runtime = kind === 'directory' ? await opened({ store }) : first;
    const session = free(runtime);
    expect((await session.call('notes', { does: 'note' })).held).toBe('h1');
    expect(await session.call('clock', {})).toMatchObject({ value: 12 });
    expect(await closed(runtime, session)).toMatchObject({ holding: true, sources: [STORE] });
    expect(await runtime.held.open(session.run.id, 'h1')).toMatchObject({
      value: { outcome: { ok: true, value: 'secret mail' }, labels: ANY },
    });
    const model = fromScript([{ next_step: { tool: 'notes', arguments: { does: 'note' }, goal: 'g' } }]);
    const run = runtime.start({ dialect: 'xct', task: 't', model, offer: FREE });
    await run.result;
    expect(JSON.stringify(await runtime.ledger.export(run.id))).not.toContain('secret mail');
    expect(await runtime.held.list(run.id)).toMatchObject([{ handle: 'h1', labels: ANY }]);
  });

  test('is marked by a held call whatever that puts, and keeps its mark when its values are erased', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    await session.call('mail', {});
    await session.call('notes', { does: 'quiet', x: { $held: 'h1' } });
    await closed(runtime, session);
    expect(await runtime.capabilities.stored()).toEqual([]);
    expect(await runtime.held.sources()).toContainEqual(STORE);
    await keepMail(runtime);
    await runtime.capabilities.forgetStored('notes');
    expect(await runtime.held.sources()).toContainEqual(STORE);
    const later = free(runtime);
    expect((await later.call('notes', { does: 'note' })).held).toBe('h1');
    await closed(runtime, later);
  });

  test('is as held in a run that a crash cut off, and a value is not erased while its run is open', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'held-store-'));
    const copy = mkdtempSync(join(tmpdir(), 'held-copy-'));
    stores.push(directory, copy);
    const first = await opened({ store: { directory } });
    const session = first.openSession();
    await session.call('mail', {});
    await session.call('notes', { does: 'put', x: { $held: 'h1' } });
    await expect(first.ledger.erase(session.run.id)).rejects.toMatchObject({ code: 'run_open' });
    cpSync(directory, copy, { recursive: true });
    await first.close();
    // the copy is of a process that is gone
    for (const name of readdirSync(copy)) if (name.includes('lock')) rmSync(join(copy, name), { recursive: true });
    const second = await opened({ store: { directory: copy } });
    expect(await second.held.sources()).toContainEqual(STORE);
    const again = second.openSession({ resume: session.run.id });
    expect((await again.call('notes', { does: 'note' })).held).toBe('h3');
    await closed(second, again);
  });

  test('is read again in the open once a person has cleared it, and the log says so', async () => {
    const runtime = await opened();
    await keepMail(runtime);
    await runtime.held.clear('store:notes');
    await expect(runtime.held.clear('store:notes')).rejects.toMatchObject({ code: 'option_invalid' });
    expect((await runtime.held.sources()).map(({ source }) => source)).not.toContain('store:notes');
    const log = await runtime.ledger.records('system');
    expect(log.at(-1)?.body).toEqual({ event: 'cleared', source: 'store:notes', labels: ANY });
    const session = free(runtime);
    expect(await session.call('notes', { does: 'note' })).toMatchObject({ value: 'secret mail' });
    expect((await closed(runtime, session)).holding).toBeUndefined();
    expect(await labelsOf(runtime, session)).toEqual(ANY);
  });

  test('keeps its mark in a backup, and a backup takes none away', async () => {
    const runtime = await opened();
    await keepMail(runtime);
    const backup = await runtime.storage.backup();
    await runtime.close();
    const other = await opened();
    await other.storage.restore(backup);
    expect(await other.held.sources()).toEqual([STORE]);
    const session = free(other);
    expect((await session.call('notes', { does: 'note' })).held).toBe('h1');
    await session.close();
  });
});

describe('a source that was handed a held value', () => {
  test('has its labels in every run, until a person clears it', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    await session.call('mail', {});
    expect((await session.call('file', { x: { $held: 'h1' } })).held).toBe('h2');
    expect((await session.call('mute', { x: { $held: 'h1' } })).held).toBe('h3');
    // what comes from the server later may be that value
    expect((await session.call('look', {})).held).toBe('h4');
    await closed(runtime, session);
    expect(await runtime.held.sources()).toEqual([{ source: MAIL_ORIGIN, labels: ANY }]);
    const later = free(runtime);
    expect(await later.call('clock', {})).toMatchObject({ value: 12 });
    expect(await later.call('look', {})).toMatchObject({ value: 'seen' });
    expect(asked).toEqual([]);
    await later.call('look', {});
    expect(asked).toHaveLength(1);
    const first = await closed(runtime, later);
    expect([first.holding, first.sources]).toEqual([undefined, [{ source: MAIL_ORIGIN, labels: ANY }]]);
    await runtime.held.clear(MAIL_ORIGIN);
    const cleared = free(runtime);
    await cleared.call('look', {});
    await cleared.call('look', {});
    expect(asked).toHaveLength(1);
    expect((await closed(runtime, cleared)).sources).toBeUndefined();
  });

  test('is known to later runs although the run that handed it over never ended', async () => {
    let finish: ((value: string) => void) | undefined;
    const slow = defineTool({
      ...server,
      name: 'file',
      run: () => new Promise<string>((resolve) => (finish = resolve)),
    });
    const runtime = await opened({ tools: [mail, slow, look, clock, mute] });
    const session = runtime.openSession();
    await session.call('mail', {});
    const going = session.call('file', { x: { $held: 'h1' } });
    await expect.poll(() => finish).toBeDefined();
    expect(await runtime.held.sources()).toEqual([{ source: MAIL_ORIGIN, labels: ANY }]);
    finish?.('filed');
    await going;
    await session.close();
  });

  test('brings its labels through the tools of a program, in a run that holds nothing', async () => {
    const code = defineCapability({
      ...common,
      name: 'code',
      effect: 'write',
      labels: [],
      args: {},
      tools: ['look'],
      source: `export default (_, { tools }) => tools.call('look', {})`,
    });
    const runtime = await opened({
      capabilities: [notes, code],
      grants: [...grants, { capability: 'code', mode: 'allow' }],
    });
    const session = runtime.openSession();
    await session.call('mail', {});
    await session.call('file', { x: { $held: 'h1' } });
    await closed(runtime, session);
    const later = runtime.openSession({ offer: ['code', 'look'] });
    expect(await later.call('code', {})).toMatchObject({ value: 'seen' });
    await closed(runtime, later);
    expect(await labelsOf(runtime, later)).toEqual(ANY);
  });
});
