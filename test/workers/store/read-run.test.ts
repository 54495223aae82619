import { expect, test } from 'vitest';
import { verifyExport } from '../../../core/index.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { exportRun } from '../../../workers/store/read-run.ts';
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
