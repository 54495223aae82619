import { describe, expect, test } from 'vitest';
import { LOCKS } from '../../../../workers/store/postgres/connection.ts';
import { behind, first, PAUSED, RUN } from '../../../../workers/testing/store/lease-suite.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, directPool, HAS_SERVER, newLog, open, ownerPool } from './place.ts';

const LEVELS = ['read committed', 'repeatable read', 'serializable'] as const;
const WAITING = `select 1 from pg_locks where locktype = 'advisory' and not granted and objid = $1
  and database = (select oid from pg_database where datname = current_database())`;
const TAKE = "update sallyport.claim set owner = 'other', epoch = epoch + 1, expires = now() + interval '5 minutes'";

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe.each(LEVELS)('sessions whose transactions are "%s" by default', (level) => {
    const setting = `default_transaction_isolation=${level.replace(' ', '\\ ')}`;
    const owner = ownerPool();

    test('stores that append to a log at the same time write each record once', async () => {
      const log = newLog();
      const stores = await Promise.all([1, 2, 3].map(() => open({ pool: directPool({ setting }), log })));
      const appended = stores.map(async (store, nth) => {
        const { run_id, batches } = sampleRun(nth + 1, 10, false);
        for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'strict'));
      });
      await Promise.all(appended);
      expect(new Set(await Promise.all(stores.map(async (each) => valueOf(await each.head()).size)))).toEqual(
        new Set([3 * 52]),
      );
      for (const store of stores) await store.close();
    });

    test('an append that waited for the lock of its log meets the lease that was taken meanwhile', async () => {
      const log = newLog();
      const store = await open({ pool: directPool({ setting }), log, times: PAUSED });
      await store.claim(RUN);
      valueOf(await store.append(first(), 'strict'));
      const [row] = (await owner.query('select id from sallyport.log where name = $1', [log])).rows;
      const id = Number(row?.['id']);

      const other = await owner.connect();
      await other.query(`begin; select pg_advisory_xact_lock(${LOCKS}, ${id})`);
      const waiting = store.append(behind(first()), 'strict');
      await expect.poll(async () => (await owner.query(WAITING, [id])).rows.length).toBe(1);
      await other.query(`${TAKE} where log = ${id} and name = 'run:${RUN}'; commit`);
      other.release();

      expect(await waiting).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
      expect(valueOf(await store.head()).size).toBe(2);
      await store.close();
    });
  });
