import { describe, expect, test } from 'vitest';
import { NO_RECORDS } from '../../../../core/ledger/chain.ts';
import { KnownEnds, type WrittenBatch } from '../../../../workers/store/postgres/state.ts';
import type { SqlRow } from '../../../../workers/store/sql/frames.ts';
import { AlteredData, encodeBatch } from '../../../../workers/store/sql/frames.ts';
import { type Append, EMPTY_LOG, nextBatch } from '../../../../workers/store/store.ts';
import { runId, sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

/** First batch of a run, as the first of a log. */
function written(run: number): WrittenBatch {
  const { run_id, batches } = sampleRun(run, 1, false);
  const append: Append = { run_id, ...(batches[0] as (typeof batches)[0]) };
  const batch = valueOf(nextBatch(EMPTY_LOG, undefined, append));
  return { batch, frame: encodeBatch(batch) };
}

const one = written(1);
const { seq, run_id, run_seq, after } = one.batch;
const { records, head } = after.run;
/** Row of the batch as the server sends it where it has the version of its row. */
const same: SqlRow = { seq: String(seq), run_id, run_seq: String(run_seq), frame: null };

function endsOf(...batches: readonly WrittenBatch[]): KnownEnds {
  const ends = new KnownEnds();
  ends.add(batches, '17');
  return ends;
}

describe('the ends that a store has written', () => {
  test('the version of the last row of the log names its transaction and the header of its frame', () => {
    expect(new KnownEnds().logVersion).toBeNull();
    const header = Buffer.from(one.frame.subarray(0, 12)).toString('hex');
    expect(endsOf(written(2), one).logVersion).toBe(`17 ${header}`);
  });

  test('the end of a run is known where the next batch follows it', () => {
    const ends = endsOf(one);
    expect(ends.endBefore(run_id, { records, head })?.after).toEqual(after);
    expect(ends.endBefore(run_id, { records: records + 1, head })).toBeUndefined();
    expect(ends.endBefore(run_id, { records, head: NO_RECORDS.head })).toBeUndefined();
    expect(ends.endBefore(runId(9), { records, head })).toBeUndefined();
    ends.forgetRuns();
    expect(ends.endBefore(run_id, { records, head })).toBeUndefined();
    expect(ends.logEnd(same).after).toEqual(after);
  });

  test('an end has no contents of its batch, which are large', () => {
    expect(Object.keys(endsOf(one).logEnd(same)).toSorted()).toEqual(['after', 'run_id', 'run_seq', 'seq', 'version']);
    expect(Object.keys(endsOf(one).endBefore(run_id, { records, head }) ?? {}).toSorted()).toEqual([
      'after',
      'run_id',
      'run_seq',
      'seq',
    ]);
  });

  test('a row with a frame is read, whatever the store has written', () => {
    const ends = endsOf(written(2));
    expect(ends.logEnd({ ...same, frame: one.frame }).after).toEqual(after);
    expect(() => ends.logEnd({ ...same, frame: one.frame.with(40, 0) })).toThrow(AlteredData);
  });

  test.each([
    ['another place in the log', { seq: '1' }],
    ['another place in its run', { run_seq: '1' }],
    ['another run', { run_id: runId(2) }],
  ])('a row without a frame and with %s is altered', (_title, change) => {
    expect(() => endsOf(one).logEnd({ ...same, ...change })).toThrow(AlteredData);
  });

  test('a store remembers the ends of 1,024 runs, and forgets the run that it has not written for longest', () => {
    const batches = Array.from({ length: 1_025 }, (_, nth) => ({
      ...one,
      batch: { ...one.batch, run_id: runId(nth) },
    }));
    const ends = endsOf(...batches.slice(0, 1_024));
    ends.add([batches[0] as WrittenBatch, batches[1_024] as WrittenBatch], '18');
    const known = [0, 1, 2, 1_024].map((run) => ends.endBefore(runId(run), { records, head }) !== undefined);
    expect(known).toEqual([true, false, true, true]);
  });
});
