import { expect, test, vi } from 'vitest';
import { pass } from '../../../core/outcome.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { payloadOf } from '../../../workers/store/read-payload.ts';
import { recordInLog } from '../../../workers/store/system-log.ts';
import { sampleRun } from '../../core/ledger/sample.ts';
import { valueOf } from './store-suite.ts';

test('payloadOf searches at the record that a caller names, and in the whole run where it is not before that record', async () => {
  const store = openMemoryStore();
  const { run_id, batches } = sampleRun(1, 20);
  for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  const search = vi.spyOn(store, 'payload');
  const late = batches.findLast(({ payloads }) => payloads.length > 0);
  const [{ sha256, bytes } = { sha256: '', bytes: undefined }] = late?.payloads ?? [];
  const records = late?.expected.records ?? 0;
  for (const [upTo, searches] of [
    [records, 1],
    [0, 2],
    [undefined, 1],
  ] as const) {
    search.mockClear();
    expect(valueOf(await payloadOf(store, run_id, sha256, upTo))).toEqual(bytes);
    expect(search).toHaveBeenCalledTimes(searches);
  }
  expect(valueOf(await payloadOf(store, run_id, 'f'.repeat(64), records))).toBeUndefined();
});

test('payloadOf searches for an erased payload no further than at the record that names it, while it cannot have come again', async () => {
  const store = openMemoryStore();
  const { run_id, batches } = sampleRun(1, 20);
  const [later, before] = [batches.at(-1), batches.slice(0, -1)];
  for (const batch of before) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  const search = vi.spyOn(store, 'payload');
  const searchesFor = async (sha256: string, upTo?: number, run = run_id) => {
    search.mockClear();
    expect(valueOf(await payloadOf(store, run, sha256, upTo))).toBeUndefined();
    return search.mock.calls.length;
  };
  const [erased, other] = ['e'.repeat(64), 'f'.repeat(64)];
  expect(await searchesFor(erased, 3)).toBe(2);
  // another program erases beside this store
  valueOf(await recordInLog(store, 1, { event: 'erased', run: run_id, payloads: [erased] }));
  expect(await searchesFor(erased, 3)).toBe(1);
  expect(await searchesFor(erased)).toBe(0);
  expect(await searchesFor(other, 3)).toBe(2);
  expect(await searchesFor(erased, 3, 'another run')).toBe(2);
  // the log is read once while it does not grow
  const read = vi.spyOn(store, 'read');
  for (let time = 0; time < 5; time++) await searchesFor(erased, 3);
  expect(read).not.toHaveBeenCalled();
  // the run has grown: its next record may hold the same text
  if (later !== undefined) valueOf(await store.append({ run_id, ...later }, 'relaxed'));
  expect(await searchesFor(erased, 3)).toBe(2);
});

test('payloadOf believes no sentence about an erasure that came with a run of a backup', async () => {
  const store = openMemoryStore();
  const { run_id, batches } = sampleRun(1, 5);
  for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  const [held] = batches.flatMap(({ payloads }) => payloads).slice(-1);
  valueOf(await recordInLog(store, 1, { event: 'erased', run: run_id, payloads: [held?.sha256 ?? ''] }));
  expect(valueOf(await payloadOf(store, run_id, held?.sha256 ?? ''))).toBeUndefined();
  const rows = valueOf(await store.runs());
  const stranger = { ...store, runs: async () => pass(rows.map((row) => ({ ...row, foreign: true as const }))) };
  expect(valueOf(await payloadOf(stranger, run_id, held?.sha256 ?? '', 0))).toEqual(held?.bytes);
});
