import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../core/hash.ts';
import type { EncodedBatch } from '../../../../workers/store/postgres/batches.ts';
import { KnownEnds } from '../../../../workers/store/postgres/ends.ts';
import { AlteredData } from '../../../../workers/store/sql/altered.ts';
import { encodeBatch } from '../../../../workers/store/sql/frames.ts';
import type { SqlRow } from '../../../../workers/store/sql/row.ts';
import { type Append, EMPTY_LOG, nextBatch } from '../../../../workers/store/store.ts';
import { runId, sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

/** First batch of a run, as the first of a log. */
function written(run: number): EncodedBatch {
  const { run_id, batches } = sampleRun(run, 1, false);
  const append: Append = { run_id, ...(batches[0] as (typeof batches)[0]) };
  const batch = valueOf(nextBatch(EMPTY_LOG, undefined, append));
  return { batch, frame: encodeBatch(batch) };
}

const one = written(1);
const { seq, run_id, run_seq, after } = one.batch;
/** Row of the batch as the server sends it where it has the hash of its frame. */
const same: SqlRow = { name: run_id, seq: String(seq), run_id, run_seq: String(run_seq), frame: null };

describe('the ends that a store has written', () => {
  test('a store knows the hash of the last frame of a run and of the log after their commit', () => {
    const ends = new KnownEnds();
    expect([ends.logHash, ...ends.hashesOf([run_id])]).toEqual([null, null]);
    ends.add([one]);
    expect([ends.logHash, ...ends.hashesOf([run_id, runId(9)])]).toEqual([
      sha256Hex(one.frame),
      sha256Hex(one.frame),
      null,
    ]);
  });

  test('a row without a frame is the end that the store has written', () => {
    const ends = new KnownEnds();
    ends.add([one]);
    expect(ends.logEnd(same).after).toEqual(after);
    expect(ends.runEnd(same).after).toEqual(after);
  });

  test('a row with a frame is read, whatever the store has written', () => {
    const ends = new KnownEnds();
    ends.add([written(2)]);
    expect(ends.runEnd({ ...same, frame: one.frame }).after).toEqual(after);
    expect(() => ends.logEnd({ ...same, frame: one.frame.with(40, 0) })).toThrow(AlteredData);
  });

  test.each([
    ['another place in the log', { seq: '1' }],
    ['another place in its run', { run_seq: '1' }],
    ['another run', { run_id: runId(2) }],
  ])('a row without a frame and with %s is altered', (_title, change) => {
    const ends = new KnownEnds();
    ends.add([one]);
    expect(() => ends.logEnd({ ...same, ...change })).toThrow(AlteredData);
    expect(() => ends.runEnd({ ...same, ...change })).toThrow(AlteredData);
  });

  test('a store remembers the ends of 1,024 runs, and forgets the run that it has not written for longest', () => {
    const ends = new KnownEnds();
    const batches = Array.from({ length: 1_025 }, (_, nth) => ({
      ...one,
      batch: { ...one.batch, run_id: runId(nth) },
    }));
    ends.add(batches.slice(0, 1_024));
    ends.add([batches[0] as EncodedBatch, batches[1_024] as EncodedBatch]);
    const known = ends.hashesOf([0, 1, 2, 1_024].map(runId)).map((hash) => hash !== null);
    expect(known).toEqual([true, false, true, true]);
  });
});
