import { describe, expect, test } from 'vitest';
import { extend } from '../../../../core/ledger/chain.ts';
import { PgConnection } from '../../../../workers/store/postgres/connection.ts';
import { KnownEnds } from '../../../../workers/store/postgres/ends.ts';
import { PgLeases } from '../../../../workers/store/postgres/leases.ts';
import { type LogStore, readState } from '../../../../workers/store/postgres/state.ts';
import { openWitness } from '../../../../workers/store/postgres/witness.ts';
import { encodeBatch } from '../../../../workers/store/sql/frames.ts';
import type { SqlRow } from '../../../../workers/store/sql/row.ts';
import { type Append, type Batch, EMPTY_LOG, nextBatch } from '../../../../workers/store/store.ts';
import { behind, first } from '../../../../workers/testing/store/lease-sample.ts';
import { payload } from '../../../../workers/testing/store/sample.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, newLog, newPool, open, ownerPool } from './place.ts';

const batchBehind = (append: Append, log = EMPTY_LOG, run?: Batch): Batch =>
  valueOf(nextBatch(log, run?.after.run, append));

/** The first batches of two runs, as a store has written them, and the next batch of the first run. */
const one = batchBehind(first(1));
const two = batchBehind(first(2), one.after.log);
const next = batchBehind(behind(first(1)), two.after.log, one);

function storeThatWrote(batches: readonly Batch[]): LogStore {
  const connection = new PgConnection({ connect: () => Promise.reject(new Error('no server')), on: () => undefined });
  const ends = new KnownEnds();
  ends.add(batches.map((batch) => ({ batch, frame: encodeBatch(batch) })));
  const times = { leaseMs: 1_000, renewMs: 100, askMs: 100 };
  return {
    connection,
    log: 1,
    leases: new PgLeases(connection, 1, times),
    witness: openWitness('log', undefined),
    ends,
  };
}

/** Row of the server: without a frame where the store has written it. */
const row = (part: 'log' | 'run', { seq, run_id, run_seq }: Batch, frame: Uint8Array | null): SqlRow => ({
  part,
  name: part === 'run' ? run_id : null,
  ...{ seq: String(seq), run_id, run_seq: String(run_seq), frame },
});

const stateOf = (store: LogStore, rows: readonly SqlRow[]) =>
  valueOf(readState({ store, run_ids: [one.run_id, two.run_id] }, 2, rows));

describe('the state of a log', () => {
  test('runs end where the store knows while its log ends there, too', () => {
    const { last, runs } = stateOf(storeThatWrote([one, two]), [row('log', two, null)]);
    expect(last?.after).toEqual(two.after);
    expect([...runs].map(([run_id, { seq }]) => [run_id, seq])).toEqual([
      [one.run_id, one.seq],
      [two.run_id, two.seq],
    ]);
  });

  test('runs end where the server says once another store has appended to their log', () => {
    const frame = encodeBatch(next);
    const rows = [row('log', next, frame), row('run', next, frame), row('run', two, null)];
    const { last, runs } = stateOf(storeThatWrote([one, two]), rows);
    expect(last?.after).toEqual(next.after);
    expect(runs.get(one.run_id)?.after).toEqual(next.after);
    expect(runs.get(two.run_id)?.after).toEqual(two.after);
  });

  test('a run whose log is empty has no end, whatever the store has written', () => {
    expect(stateOf(storeThatWrote([one, two]), []).runs.size).toBe(0);
  });
});

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('the state of a log in PostgreSQL', () => {
    const [pool, owner] = [newPool(), ownerPool()];

    test('a store finds the end of its run behind the appends of another store, to this run or to another', async () => {
      const log = newLog();
      const [store, other] = [await open({ pool, log }), await open({ pool, log })];
      const [mine, theirs] = [first(1), first(2)];
      valueOf(await store.append(mine, 'strict'));
      valueOf(await other.append(theirs, 'strict'));
      const second = behind(mine);
      expect(valueOf(await store.append(second, 'strict'))?.seq).toBe(mine.records.length + theirs.records.length);
      const third = behind(second);
      valueOf(await other.append(third, 'strict'));
      valueOf(await store.append(behind(third), 'strict'));
      const { run_id, expected } = second;
      const body = { event: 'resumed' as const, reason: { sha256: payload('other').sha256, bytes: 5 } };
      const records = [extend(expected, { kind: 'state', body }, { run_id, epoch: 0, at: 1 })];
      const refused = await other.append({ run_id, expected, records, payloads: [] }, 'strict');
      expect(refused).toMatchObject({ ok: false, refusal: { code: 'head_moved', details: { expected: 2, found: 5 } } });
      await Promise.all([store.close(), other.close()]);
    });

    test('a log whose records were deleted under a store is lost', async () => {
      const log = newLog();
      const store = await open({ pool, log });
      valueOf(await store.append(first(1), 'strict'));
      await owner.query('delete from sallyport.batch where log = (select id from sallyport.log where name = $1)', [
        log,
      ]);
      const refused = await store.append(behind(first(1)), 'strict');
      expect(refused.ok || refused.refusal.code).toBe('log_lost');
      await store.close();
    });
  });
