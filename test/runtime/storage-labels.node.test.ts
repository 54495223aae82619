import { describe, expect, test } from 'vitest';
import type { Bodies, Label } from '../../core/index.ts';
import { concatBytes } from '../../core/json/utf8.ts';
import { labelPrefix, ownKey } from '../../core/run/commit/storage.ts';
import type { Runtime } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { backUp, takeBack } from '../../workers/kernel/backup/backup.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import { defineCapability, definePower, fromScript } from '../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { expectReplayed } from './replayed.ts';
import { forChecks, forRuns } from './shared.ts';

const terms = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const sent: unknown[] = [];
const mail = definePower({ ...terms, name: 'mail.send', effect: 'egress', labels: [], run: (body) => sent.push(body) });
const vault = definePower({
  ...terms,
  name: 'vault.read',
  effect: 'read',
  labels: ['private', 'untrusted'],
  run: () => 'PIN',
});

/** A capability whose argument names its action. */
const NOTES = defineCapability({
  ...terms,
  name: 'notes',
  effect: 'egress',
  labels: [],
  args: { type: 'object', required: ['does'], properties: { does: { type: 'string' } } },
  powers: ['store.put', 'store.get', 'mail.send', 'vault.read'],
  limits: { powerCalls: 400 },
  source: `export default async ({ does }, { store, mail, vault }) => {
    if (does === 'seed') return store.put('flag', 1);
    if (does === 'fill') {
      await vault.read({});
      for (let n = 0; n < 256; n++) await store.put('k' + n, 1);
      return null;
    }
    if (does === 'take away') { await vault.read({}); return store.put('flag', null); }
    if (does === 'get') { const flag = await store.get('flag'); return mail.send(flag).catch((error) => error.name); }
    const room = await store.put('new', 1).then(() => true, (error) => error.name);
    return mail.send(room).catch((error) => error.name);
  }`,
});

/** A process over a log that outlives it, where a person denies every question. */
async function open(log: MemoryLog): Promise<Runtime> {
  const ports = { store: openMemoryStore(log), ...(await forRuns()), ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), {
    capabilities: [NOTES],
    powers: [mail, vault],
    grants: [
      { capability: 'notes', mode: 'allow' },
      { power: 'mail.send', mode: 'allow' },
      { power: 'vault.read', mode: 'allow' },
    ],
    approve: async () => ({ approved: false, reason: 'no' }),
  });
}

interface Told {
  readonly labels: readonly Label[] | undefined;
  /** Number of questions put to a person. */
  readonly asked: number;
}

async function run(runtime: Runtime, does: string): Promise<Told> {
  const call = { next_step: { tool: 'notes', arguments: { does }, goal: 'try' } };
  const going = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call, { done: true, message: '' }]) });
  await going.result;
  await expectReplayed(await runtime.ledger.export(going.id, { secrets: true }));
  const records = await runtime.ledger.records(going.id);
  const receipt = records.find(({ kind }) => kind === 'receipt')?.body as Bodies['receipt'];
  const asked = records.filter(({ kind, body }) => kind === 'approval' && 'event' in body && body.event === 'asked');
  return { labels: receipt.evidence.labels, asked: asked.length };
}

const BOTH = ['private', 'untrusted'];

describe('the labels of values that a capability keeps', () => {
  test('labels of kept values are shown by the refusal of a key for which there is no room', async () => {
    const runtime = await open(emptyLog());
    expect((await run(runtime, 'fill')).labels).toEqual(BOTH);
    expect(await run(runtime, 'put')).toEqual({ labels: BOTH, asked: 1 });
    expect(sent).toEqual([]);
  });

  test('labels of kept values stay when their key is removed, also for the next process', async () => {
    const log = emptyLog();
    const runtime = await open(log);
    expect((await run(runtime, 'seed')).labels).toEqual([]);
    expect((await run(runtime, 'take away')).labels).toEqual(BOTH);
    expect(await run(runtime, 'get')).toEqual({ labels: BOTH, asked: 1 });
    expect(await run(await open(log), 'get')).toEqual({ labels: BOTH, asked: 1 });
    expect(sent).toEqual([]);
  });

  test('values that are kept before any read have no labels', async () => {
    const runtime = await open(emptyLog());
    expect(await run(runtime, 'seed')).toEqual({ labels: [], asked: 0 });
    expect(await run(runtime, 'get')).toEqual({ labels: [], asked: 0 });
    expect(sent.splice(0)).toEqual([1]);
  });

  test('kept values from before labels were recorded count as private and untrusted, also after their key is gone', async () => {
    const log = emptyLog();
    const store = openMemoryStore(log);
    const value = { text: '1', labels: [] };
    expect((await store.put([{ table: 'kept', key: ownKey('notes', 'old'), value }], 'strict')).ok).toBe(true);
    const runtime = await open(log);
    expect(await run(runtime, 'get')).toEqual({ labels: BOTH, asked: 1 });
    expect((await run(runtime, 'seed')).labels).toEqual(BOTH);
    expect((await store.put([{ table: 'kept', key: ownKey('notes', 'old'), value: undefined }], 'strict')).ok).toBe(
      true,
    );
    expect(await run(runtime, 'get')).toEqual({ labels: BOTH, asked: 1 });
  });

  test('kept values restored from a backup count as private and untrusted', async () => {
    const runtime = await open(emptyLog());
    await run(runtime, 'seed');
    const backup = await runtime.storage.backup();
    const restored = await open(emptyLog());
    await restored.storage.restore(backup);
    expect((await run(restored, 'get')).labels).toEqual(BOTH);
  });

  test('a restored value labels the absent keys of its name, too, where this log knew the name without labels', async () => {
    const theirs = openMemoryStore(emptyLog());
    const value = { text: '1', labels: [] };
    await theirs.put([{ table: 'kept', key: ownKey('notes', 'theirs'), value }], 'strict');
    const log = emptyLog();
    const mine = openMemoryStore(log);
    await mine.put(
      [{ table: 'kept', key: `${labelPrefix('notes')}known`, value: { text: 'null', labels: [] } }],
      'strict',
    );
    const parts: Uint8Array[] = [];
    await backUp(theirs, (bytes) => parts.push(bytes) > 0);
    expect(await takeBack(mine, new Blob([concatBytes(parts)]))).toEqual({ ok: true, value: true });
    // the key that this capability reads came with no file
    expect((await run(await open(log), 'get')).labels).toEqual(BOTH);
  });
});
