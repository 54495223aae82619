import { describe, expect, test } from 'vitest';
import { sqlModule } from '../../../../workers/store/sqlite/engine.ts';
import type { LeaseTimes } from '../../../../workers/store/sqlite/leases.ts';
import { openSqliteStore } from '../../../../workers/store/sqlite/store.ts';
import { closed, first, type LeasePlace, leaseSuite, RUN, two } from '../lease-suite.ts';
import { LASTING } from '../lease-times.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SQLITE, newFiles } from './place.ts';

const newFile = newFiles();

/** End of the lease of a run in this file, in ms. */
function expires(path: string, run_id: string): number {
  const database = new (sqlModule().DatabaseSync)(path);
  const row = database.prepare('select expires from claim where name = ?').get(`run:${run_id}`);
  database.close();
  return Number(row?.['expires']);
}

function newPlace(): LeasePlace {
  const path = newFile();
  return {
    open: async (times: LeaseTimes = LASTING) => valueOf(openSqliteStore(path, times)),
    expires: async (run_id) => expires(path, run_id),
  };
}

if (!HAS_SQLITE) test.skip(ABSENT, () => undefined);
else
  describe('the leases of a file of SQLite', () => {
    leaseSuite(newPlace);

    test('a lease that was written with a wrong clock is free', async () => {
      const [store, other] = await two(newPlace(), { ...LASTING, leaseMs: 1e9 });
      await store.claim(RUN);
      expect(await other.held()).toEqual(new Set());
      expect(await other.claim(RUN)).toBeDefined();
      expect(await store.append(first(), 'strict')).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
      await closed(store, other);
    });
  });
