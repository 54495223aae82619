import { describe, expect, test } from 'vitest';
import type { SqlRow } from '../../../../workers/store/sql/frames.ts';
import { AlteredData, decodeBatch, decodeBatchEnd, encodeBatch } from '../../../../workers/store/sql/frames.ts';
import { type Append, type Batch, EMPTY_LOG, nextBatch } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

/** The batches of a run as an own log. */
function batchesOf(run: number): readonly Batch[] {
  const { run_id, batches } = sampleRun(run, 4, false);
  const made: Batch[] = [];
  for (const each of batches) {
    const before = made.at(-1)?.after;
    const append: Append = { run_id, ...each };
    made.push({ ...valueOf(nextBatch(before?.log ?? EMPTY_LOG, before?.run, append)), payloads: [] });
  }
  return made;
}

const BATCHES = batchesOf(1);
const BATCH = BATCHES[2] as Batch;

function rowOf(batch: Batch, changed: Partial<SqlRow> = {}): SqlRow {
  const { seq, run_id, run_seq } = batch;
  return { seq, run_id, run_seq, frame: encodeBatch(batch), ...changed };
}

const flipped = (at: number): Uint8Array => encodeBatch(BATCH).map((byte, nth) => (nth === at ? byte ^ 1 : byte));

describe('the end of a batch in a row', () => {
  test('is the end of the decoded batch, also of a batch whose records were removed', () => {
    const gone = { ...BATCH, records: [], gone: BATCH.records.map(() => 'a'.repeat(64)) };
    for (const batch of [...BATCHES, gone]) {
      const { seq, run_id, run_seq, after } = decodeBatch(rowOf(batch));
      expect(decodeBatchEnd(rowOf(batch))).toEqual({ seq, run_id, run_seq, after });
    }
  });

  test('does not change when the bytes of the row are overwritten', () => {
    const row = rowOf(BATCH);
    const end = decodeBatchEnd(row);
    (row['frame'] as Uint8Array).fill(0);
    expect(end.after.log).toEqual(BATCH.after.log);
  });

  test.each<[string, SqlRow]>([
    ['no frame', rowOf(BATCH, { frame: null })],
    ['a frame without its last byte', rowOf(BATCH, { frame: encodeBatch(BATCH).slice(0, -1) })],
    ['a frame whose last record was changed', rowOf(BATCH, { frame: flipped(encodeBatch(BATCH).length - 1) })],
    ['a frame whose header was changed', rowOf(BATCH, { frame: flipped(9) })],
    ['another place in the log', rowOf(BATCH, { seq: BATCH.seq + 1 })],
    ['another place in the run', rowOf(BATCH, { run_seq: BATCH.run_seq + 1 })],
    ['another run', rowOf(BATCH, { run_id: 'other' })],
    ['a frame of another number of records', rowOf({ ...BATCH, records: BATCH.records.slice(1) })],
  ])('a row with %s is refused, as for the whole batch', (_, row) => {
    for (const decode of [decodeBatch, decodeBatchEnd]) expect(() => decode(row)).toThrow(AlteredData);
  });
});
