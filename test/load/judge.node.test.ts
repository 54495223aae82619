import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTool, fromScript, openRuntime } from '../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import type { SharedStore } from '../../workers/store/shared-store.ts';
import { type Batch, hashesOf } from '../../workers/store/store.ts';
import { sampleRun } from '../../workers/testing/store/sample.ts';
import { temporaryFolder } from '../folder.ts';
import { Acknowledged } from './acknowledged.ts';
import { judgeEffects, judgeLog, NO_FINDINGS } from './judge.ts';

const LOG = 'log';

const NOTE = defineTool({
  name: 'note.write',
  version: '1.0.0',
  description: 'Adds a line.',
  effect: 'write',
  labels: [],
  args: { type: 'object' },
  run: async () => 1,
});

/** A log with a run of one effect, as a runtime has written it. */
async function ran(): Promise<MemoryLog> {
  const log = emptyLog();
  const grants = [{ capability: NOTE.name, mode: 'allow' as const }];
  const runtime = await openRuntime({ store: openMemoryStore(log), tools: [NOTE], grants });
  const call = { next_step: { tool: NOTE.name, arguments: {}, goal: 'note' } };
  const model = fromScript([call, { done: true, message: 'noted' }]);
  expect(await runtime.start({ dialect: 'xct', task: 'Note.', model }).result).toMatchObject({ state: 'completed' });
  await runtime.close();
  return log;
}

/** Findings in a log without acknowledgements. */
const judged = ({ batches, tables }: Pick<MemoryLog, 'batches' | 'tables'>) =>
  judgeLog(openMemoryStore({ batches, tables }) as SharedStore, LOG, new Acknowledged());

/** A log with a run, and what its store has acknowledged. */
async function written() {
  const store = openMemoryStore() as SharedStore;
  const acknowledged = new Acknowledged();
  const { run_id, batches } = sampleRun(1, 3);
  for (const batch of batches) {
    const done = await store.append({ run_id, ...batch }, 'strict');
    if (!done.ok || done.value === undefined) throw new Error('The store has refused.');
    const { size, root } = done.value;
    const hashes = hashesOf({ run_id, ...batch });
    acknowledged.add({ log: LOG, acknowledged: hashes, size, root: Buffer.from(root).toString('hex') });
  }
  return { store, acknowledged };
}

test('the judge of a load finds every acknowledged record of a log, in whole batches under the roots that were told', async () => {
  const { store, acknowledged } = await written();
  const found = await judgeLog(store, LOG, acknowledged);
  expect(found).toMatchObject({ records: acknowledged.size, runs: 1, lost: 0, half: 0, twice: 0, contradicted: 0 });
});

test('the judge of a load counts an acknowledged record that is not there as lost, and its root as contradicted', async () => {
  const { store, acknowledged } = await written();
  acknowledged.add({ log: LOG, acknowledged: ['0'.repeat(64)], size: acknowledged.size + 1, root: '0'.repeat(64) });
  expect(await judgeLog(store, LOG, acknowledged)).toMatchObject({ lost: 1, contradicted: 1 });
});

test('the judge of a load counts a batch behind a gap as half', async () => {
  const { store, acknowledged } = await written();
  const log: SharedStore['log'] = async (from, most) => {
    const page = await store.log(from, most);
    return page.ok ? { ok: true, value: page.value.toSpliced(1, 1) } : page;
  };
  const { half, lost } = await judgeLog({ ...store, log }, LOG, acknowledged);
  expect([half > 0, lost > 0]).toEqual([true, true]);
});

test('the judge of a load finds no fault in a log that a runtime has written', async () => {
  const found = await judged(await ran());
  expect(found.records).toBeGreaterThan(5);
  expect(found).toEqual({ ...NO_FINDINGS, records: found.records, runs: 1 });
});

test('the judge of a load counts a run without a seal as broken, and a run with a changed payload', async () => {
  const log = await ran();
  const end = log.batches.findIndex(({ records }) => records.some((text) => text.includes('"kind":"seal"')));
  expect(await judged({ ...log, batches: log.batches.slice(0, end) })).toMatchObject({ broken: 1, half: 0, runs: 1 });
  const batches = log.batches.map((batch) => ({
    ...batch,
    payloads: batch.payloads.map(({ sha256, bytes }) => ({ sha256, bytes: bytes.map((byte) => byte ^ 1) })),
  }));
  expect((await judged({ ...log, batches })).broken).toBeGreaterThan(0);
});

test('the judge of a load counts a step with two intents or two receipts as twice', async () => {
  const log = await ran();
  for (const kind of ['intent', 'receipt']) {
    const store = openMemoryStore(log) as SharedStore;
    const twice: SharedStore['log'] = async (from, most) => {
      const page = await store.log(from, most);
      const again = (batch: Batch) => batch.records.filter((text) => text.includes(`"kind":"${kind}"`));
      return page.ok
        ? { ok: true, value: page.value.map((batch) => ({ ...batch, records: [...batch.records, ...again(batch)] })) }
        : page;
    };
    const found = await judgeLog({ ...store, log: twice }, LOG, new Acknowledged());
    expect([kind, found.twice > 0]).toEqual([kind, true]);
  }
});

test('the judge of a load counts two answers with different roots for one size', () => {
  const acknowledged = new Acknowledged();
  for (const root of ['aa', 'bb', 'aa']) acknowledged.add({ log: LOG, acknowledged: [], size: 4, root });
  expect(acknowledged.forks).toBeGreaterThan(0);
});

test('the judge of a load counts an effect that happened twice, and an effect that no intent names', async () => {
  const { store } = await written();
  const folder = temporaryFolder();
  const path = join(folder, 'effects.txt');
  writeFileSync(path, 'a-step\na-step\n');
  expect(await judgeEffects([store], path)).toEqual({ twice: 1, unrecorded: 2 });
});
