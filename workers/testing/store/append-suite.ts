import { expect, test } from 'vitest';
import { headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import { readRecords } from '../../store/read-run.ts';
import { type SampleRun, sampleRun } from './sample.ts';
import { appendAll, expectOneLog, forked, textsOf } from './sample-append.ts';
import { placeOf, type StorePlace, valueOf } from './store-place.ts';

/** Tests of appends that follow the log, and of those that do not. */
export function appendSuite(newPlace: () => Promise<StorePlace>, runs: number): void {
  test('a store refuses a writer with an old head, and writes no record of it', async () => {
    const place = await newPlace();
    const [store, other] = [await place.open(), await place.open()];
    const run = sampleRun(1, 3, false);
    await appendAll(store, run, 2);
    await appendAll(other, { ...run, batches: run.batches.slice(2, 3) });
    const fork = forked(run.run_id, run.batches[2]?.expected ?? NO_RECORDS);
    for (const writer of [store, other]) {
      expect(await writer.append(fork, 'strict')).toMatchObject({
        ok: false,
        refusal: { code: 'head_moved', details: { expected: 7, found: 12 } },
      });
    }
    expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run).slice(0, 12));
    await Promise.all([store.close(), other.close()]);
  });

  test('a store acknowledges a repeated append that is already there', async () => {
    const place = await newPlace();
    const [store, other] = [await place.open(), await place.open()];
    const run = sampleRun(1, 2, false);
    await appendAll(store, run);
    const { expected, records, payloads } = run.batches.at(-1) ?? { expected: NO_RECORDS, records: [], payloads: [] };
    for (const writer of [store, other]) {
      const again = placeOf(await writer.append({ run_id: run.run_id, expected, records, payloads }, 'relaxed'));
      expect([again.seq, again.size]).toEqual([7, 12]);
    }
    // A group whose answers were lost is repeated, and a further append follows it.
    const next = forked(run.run_id, headAfter(records.at(-1)?.record ?? (undefined as never)));
    const lost = run.batches.map((batch) => ({ run_id: run.run_id, ...batch }));
    const answers = await Promise.all([...lost, next, next].map((append) => other.append(append, 'relaxed')));
    expect(answers.map((answer) => placeOf(answer).seq)).toEqual([0, 2, 7, 12, 12]);
    expect(valueOf(await readRecords(store, run.run_id, 0))).toEqual([
      ...textsOf(run),
      ...next.records.map((link) => link.text),
    ]);
    await Promise.all([store.close(), other.close()]);
  });

  test('a store refuses a stale append of a group, and writes the rest of the group', async () => {
    const store = await (await newPlace()).open();
    const [one, two] = [sampleRun(1, 1, false), sampleRun(2, 1, false)];
    const appends = [
      ...one.batches.map((batch) => ({ run_id: one.run_id, ...batch })),
      forked(one.run_id, NO_RECORDS),
      ...two.batches.map((batch) => ({ run_id: two.run_id, ...batch })),
    ];
    const answers = await Promise.all(appends.map((append) => store.append(append, 'relaxed')));
    expect(answers.map((answer) => (answer.ok ? placeOf(answer).seq : answer.refusal.code))).toEqual([
      0,
      2,
      'head_moved',
      7,
      9,
    ]);
    await expectOneLog(store, [one.run_id, two.run_id]);
    await store.close();
  });

  test('append throws for links that are no chain, because that is a defect of the writer', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1, false);
    const [first] = run.batches;
    const records = first?.records ?? [];
    for (const wrong of [[], records.toReversed(), records.slice(1), [...records, ...records]]) {
      const append = { run_id: run.run_id, expected: NO_RECORDS, records: wrong, payloads: [] };
      await expect(store.append(append, 'relaxed')).rejects.toThrow(/an append has a record|follows the run/);
    }
    expect(valueOf(await store.head()).size).toBe(0);
    await store.close();
  });

  test('two writers that append at the same time make a single log without a fork', async () => {
    const place = await newPlace();
    const stores = [await place.open(), await place.open()];
    const runsOf = [sampleRun(1, runs), sampleRun(2, runs)];
    await Promise.all(stores.map((store, index) => appendAll(store, runsOf[index] as SampleRun)));
    for (const store of stores) {
      await expectOneLog(
        store,
        runsOf.map((run) => run.run_id),
      );
      for (const run of runsOf) expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run));
    }
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a store takes appends that are not awaited in the order of their arrival', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, runs);
    const done = run.batches.map(({ expected, records, payloads }) =>
      store.append({ run_id: run.run_id, expected, records, payloads }, 'strict'),
    );
    expect((await Promise.all(done)).every((one) => one.ok)).toBe(true);
    expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run));
    await store.close();
  });
}
