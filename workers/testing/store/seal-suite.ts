import { expect, test } from 'vitest';
import { extend, headAfter, type Link, NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { payload, runId, sampleRun } from './sample.ts';
import { appendAll, forked } from './sample-append.ts';
import { type StorePlace, valueOf } from './store-place.ts';

/** Tests of appends behind the seal of a run. */
export function sealSuite(newPlace: () => Promise<StorePlace>): void {
  test('a store refuses to go on behind a seal', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1, true);
    await appendAll(store, run);
    const last = run.batches.at(-1)?.records.at(-1)?.record;
    const late = forked(run.run_id, last ? headAfter(last) : NO_RECORDS);
    expect(await store.append(late, 'relaxed')).toMatchObject({ ok: false, refusal: { code: 'run_sealed' } });
    await store.close();
  });

  test('a store goes on behind a seal with the next task of a person', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1, true);
    await appendAll(store, run);
    const last = run.batches.at(-1)?.records.at(-1)?.record;
    const link = extend(
      last ? headAfter(last) : NO_RECORDS,
      { kind: 'task', body: { text: { sha256: payload('x').sha256, bytes: 1 } } },
      { run_id: run.run_id, epoch: 0, at: 1 },
    );
    const next = {
      run_id: run.run_id,
      expected: { records: link.record.run_seq, head: link.record.prev },
      records: [link],
      payloads: [],
    };
    valueOf(await store.append(next, 'relaxed'));
    expect(valueOf(await store.runs())[0]).toMatchObject({ records: link.record.run_seq + 1, sealed: false });
    await store.close();
  });

  test.each(['failed', 'aborted', 'limit'] as const)(
    'a store refuses a new task behind a seal that says %s',
    async (state) => {
      const store = await (await newPlace()).open();
      const run_id = runId(1);
      const link = (head: RunHead, draft: Draft): Link => extend(head, draft, { run_id, epoch: 0, at: 1 });
      const seal = link(NO_RECORDS, { kind: 'seal', body: { state, steps: 0 } });
      valueOf(await store.append({ run_id, expected: NO_RECORDS, records: [seal], payloads: [] }, 'relaxed'));
      const expected = headAfter(seal.record);
      const text = { sha256: payload('x').sha256, bytes: 1 };
      const task = link(expected, { kind: 'task', body: { text } });
      const late = await store.append({ run_id, expected, records: [task], payloads: [] }, 'relaxed');
      expect(late).toMatchObject({ ok: false, refusal: { code: 'run_sealed' } });
      await store.close();
    },
  );
}
