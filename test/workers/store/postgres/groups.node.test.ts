import { describe, expect, test } from 'vitest';
import { LOCKS } from '../../../../workers/store/postgres/connection.ts';
import { closed, first } from '../../../../workers/testing/store/lease-sample.ts';
import { notedPool } from '../../../load/noted-pool.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, newLog, newPool, open, ownerPool } from './place.ts';

/** Runs that are written at the same time. */
const RUNS = Array.from({ length: 64 }, (_, nth) => nth + 1);

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('appends to PostgreSQL at the same time', () => {
    const [pool, owner] = [newPool(), ownerPool()];

    test('64 appends that are not awaited share at most three transactions, and each has a place of its own', async () => {
      const noted = notedPool(pool);
      const store = await open({ pool: noted.pool, log: newLog() });
      const answers = await Promise.all(RUNS.map((run) => store.append(first(run), 'strict')));
      const places = answers.map((answer) => valueOf(answer)?.seq);
      expect(new Set(places).size).toBe(64);
      const transactions = [...noted.written.values()].flat().length;
      expect(transactions).toBeGreaterThan(0);
      expect(transactions).toBeLessThanOrEqual(3);
      expect(valueOf(await store.head()).size).toBe(64 * first().records.length);
      await store.close();
    });

    test('a log is written while another log is locked, and the locked log as soon as it is free', async () => {
      const logs = [newLog(), newLog()];
      const [locked, free] = [await open({ pool, log: logs[0] ?? '' }), await open({ pool, log: logs[1] ?? '' })];
      const { rows } = await owner.query('select id from sallyport.log where name = $1', [logs[0]]);
      const lock = await owner.connect();
      await lock.query(`begin; select pg_advisory_xact_lock(${LOCKS}, ${String(rows[0]?.['id'])})`);
      let isWritten = false;
      const waiting = locked.append(first(), 'strict').finally(() => (isWritten = true));
      for (const run of RUNS.slice(0, 8)) valueOf(await free.append(first(run), 'strict'));
      expect(isWritten).toBe(false);
      expect(valueOf(await locked.head()).size).toBe(0);
      await lock.query('commit');
      lock.release();
      valueOf(await waiting);
      await closed(locked, free);
    });
  });
