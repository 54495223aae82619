import { expect, test, vi } from 'vitest';
import { verifyExport } from '../../../core/index.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { exportRun, payloadOf } from '../../../workers/store/read-run.ts';
import { sampleRun } from '../../core/ledger/sample.ts';
import { valueOf } from './store-suite.ts';

test('exportRun exports a run of more batches than fit a page, and the export verifies', async () => {
  const store = openMemoryStore();
  const [run, another] = [sampleRun(1, 300), sampleRun(2, 2)];
  for (const { run_id, batches } of [run, another]) {
    for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  }
  const report = verifyExport(valueOf(await exportRun(store, run.run_id, true)));
  expect(report).toMatchObject({ ok: true, records: 1_503, head: run.batches.at(-1)?.records.at(-1)?.record.hash });
  expect(verifyExport(valueOf(await exportRun(store, another.run_id, true)))).toMatchObject({ ok: true, records: 13 });
});

test('exportRun refuses an absent run, because an export without records would verify', async () => {
  const { run_id } = sampleRun(3, 0);
  expect(await exportRun(openMemoryStore(), run_id, true)).toMatchObject({
    ok: false,
    refusal: { code: 'run_absent' },
  });
});

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
