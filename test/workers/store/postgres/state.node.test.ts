import { describe, expect, test } from 'vitest';
import { extend } from '../../../../core/ledger/chain.ts';
import { PgConnection } from '../../../../workers/store/postgres/connection.ts';
import { PgLeases } from '../../../../workers/store/postgres/leases.ts';
import { KnownEnds, type LogStore, openWitness, readState } from '../../../../workers/store/postgres/state.ts';
import type { SqlRow } from '../../../../workers/store/sql/frames.ts';
import { encodeBatch } from '../../../../workers/store/sql/frames.ts';
import { type Append, type Batch, EMPTY_LOG, nextBatch } from '../../../../workers/store/store.ts';
import { behind, first, RUN } from '../../../../workers/testing/store/lease-suite.ts';
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
  ends.add(
    batches.map((batch) => ({ batch, frame: encodeBatch(batch) })),
    '17',
  );
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

/** The state of the log where the store knows the ends of these batches. */
const stateOf = (store: LogStore, known: readonly Batch[], rows: readonly SqlRow[]) => {
  const ends = new Map(known.map((batch) => [batch.run_id, batch] as const));
  return valueOf(readState({ store, run_ids: [one.run_id, two.run_id], known: ends }, 1, rows));
};

describe('the state of a log', () => {
  test('runs end where the store knows, also where another store has appended to their log', () => {
    const { last, runs } = stateOf(storeThatWrote([one, two]), [one, two], [row('log', next, encodeBatch(next))]);
    expect(last?.after).toEqual(next.after);
    expect([...runs].map(([run_id, { seq }]) => [run_id, seq])).toEqual([
      [one.run_id, one.seq],
      [two.run_id, two.seq],
    ]);
  });

  test('runs whose ends were looked up end where the server says', () => {
    const frame = encodeBatch(next);
    const { last, runs } = stateOf(
      storeThatWrote([one, two]),
      [two],
      [row('log', next, frame), row('run', next, frame)],
    );
    expect(last?.after).toEqual(next.after);
    expect(runs.get(one.run_id)?.after).toEqual(next.after);
    expect(runs.get(two.run_id)?.after).toEqual(two.after);
  });

  test('a run whose log is empty has no end, whatever the store has written', () => {
    expect(stateOf(storeThatWrote([one, two]), [one, two], []).runs.size).toBe(0);
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

    test('a store that relied on the end of its run looks it up once another store has appended behind it', async () => {
      const log = newLog();
      const [store, other] = [await open({ pool, log }), await open({ pool, log })];
      const mine = first(1);
      valueOf(await store.append(mine, 'strict'));
      const theirs = behind(mine);
      valueOf(await other.append(theirs, 'strict'));
      // the same record again is there; another record in its place is refused, beside an append to another run
      expect(valueOf(await store.append(theirs, 'strict'))?.seq).toBe(mine.records.length);
      valueOf(await other.append(behind(theirs), 'strict'));
      const body = { event: 'resumed' as const, reason: { sha256: payload('other').sha256, bytes: 5 } };
      const { expected } = behind(theirs);
      const records = [extend(expected, { kind: 'state', body }, { run_id: RUN, epoch: 0, at: 1 })];
      const [refused, beside] = await Promise.all([
        store.append({ run_id: RUN, expected, records, payloads: [] }, 'strict'),
        store.append(first(2), 'strict'),
      ]);
      expect(refused).toMatchObject({ ok: false, refusal: { code: 'head_moved' } });
      expect(valueOf(beside)?.seq).toBe(mine.records.length + 2);
      await Promise.all([store.close(), other.close()]);
    });

    test('a last row that was updated to the same frame is read again, and the log goes on', async () => {
      const log = newLog();
      const store = await open({ pool, log });
      valueOf(await store.append(first(1), 'strict'));
      const own = '(select id from sallyport.log where name = $1)';
      await owner.query(`update sallyport.batch set frame = frame where log = ${own}`, [log]);
      expect(valueOf(await store.append(behind(first(1)), 'strict'))?.seq).toBe(first(1).records.length);
      await owner.query(
        `update sallyport.batch set frame = set_byte(frame, 40, get_byte(frame, 40) # 1) where log = ${own}`,
        [log],
      );
      const refused = await store.append(first(2), 'strict');
      expect(refused.ok || refused.refusal.code).toBe('store_damaged');
      await store.close();
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
