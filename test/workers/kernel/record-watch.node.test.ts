import { expect, test, vi } from 'vitest';
import { pass } from '../../../core/outcome.ts';
import { makeRecordWatch } from '../../../workers/kernel/kernel.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import type { LedgerStore } from '../../../workers/store/store.ts';
import { sampleRun } from '../../../workers/testing/store/sample.ts';
import { valueOf } from '../store/store-suite.ts';

test('the files of writers that died are looked for with the last page of a run alone', async () => {
  const memory: LedgerStore = openMemoryStore();
  const run = sampleRun(1, 400);
  const { run_id } = run;
  for (const { expected, records, payloads } of run.batches)
    valueOf(await memory.append({ run_id, expected, records, payloads }, 'relaxed'));
  const gather = vi.fn(async () => pass(undefined));
  const { look } = makeRecordWatch({ ...memory, gather } as LedgerStore, async () => false);
  let [next, pages] = [0, 0];
  for (let hasMore = true; hasMore; pages++) {
    const found = valueOf(await look(run_id, next));
    next += found.records.length;
    hasMore = found.hasMore;
    expect(gather).toHaveBeenCalledTimes(hasMore ? 0 : 1);
  }
  expect(pages).toBeGreaterThan(1);
  expect(next).toBe(run.batches.reduce((sum, { records }) => sum + records.length, 0));
});
