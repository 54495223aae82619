import { describe, expect, test, vi } from 'vitest';
import { PgHints } from '../../../../workers/store/postgres/watch.ts';
import {
  closed,
  first,
  type LeasePlace,
  leaseSuite,
  RUN,
  SHORT,
  two,
} from '../../../../workers/testing/store/lease-suite.ts';
import { leaseRuntimeTest } from '../lease-runtime.ts';
import { valueOf } from '../store-suite.ts';
import { failingPool, firstOf } from './failing-pool.ts';
import { ABSENT, HAS_SERVER, IS_POOLED, newLog, newPool, open, ownerPool } from './place.ts';

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const EXPIRES = `select extract(epoch from expires) * 1000 as ms from sallyport.claim
  where name = $1 and log = (select id from sallyport.log where name = $2)`;

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('the leases of a log in PostgreSQL', () => {
    const [pool, owner] = [newPool(), ownerPool()];
    const newPlace = async (): Promise<LeasePlace> => {
      const log = newLog();
      return {
        open: (times) => open({ pool, log, ...(times && { times }) }),
        async expires(run_id) {
          const { rows } = await owner.query(EXPIRES, [`run:${run_id}`, log]);
          return Number(rows[0]?.['ms']);
        },
      };
    };

    leaseSuite('in PostgreSQL', newPlace);
    leaseRuntimeTest(newPlace);

    test('clocks of two programs that differ by an hour change no lease', async () => {
      const [store, other] = await two(await newPlace());
      await store.claim(RUN);
      for (const hours of [-1, 1]) {
        vi.setSystemTime(Date.now() + hours * 3_600_000);
        expect(await other.held()).toEqual(new Set([RUN]));
        expect(await other.claim(RUN)).toBeUndefined();
        vi.useRealTimers();
      }
      valueOf(await store.append(first(), 'strict'));
      await closed(store, other);
    });

    test('a lease from a server whose clock was an hour ahead is free', async () => {
      const [store, other] = await two(await newPlace());
      await store.claim(RUN);
      await owner.query("update sallyport.claim set expires = expires + interval '1 hour' where name = $1", [
        `run:${RUN}`,
      ]);
      expect(await other.held()).toEqual(new Set());
      expect(await other.claim(RUN)).toBeDefined();
      expect(await store.append(first(), 'strict')).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
      await closed(store, other);
    });

    test('a run and the content whose release met a cut connection are free after the time of their leases', async () => {
      const [log, times] = [newLog(), SHORT];
      let isCut = false;
      const cut = failingPool(pool, (text) => isCut && text.startsWith('update sallyport.claim set owner = null'));
      const [store, other] = [await open({ pool: cut, log, times }), await open({ pool, log })];
      const releases = [await store.claim(RUN), await store.exclusive()];
      isCut = true;
      for (const release of releases) release?.();
      await expect.poll(() => other.held()).toEqual(new Set());
      expect(await other.claim(RUN)).toBeDefined();
      expect(await Promise.race([other.exclusive(), later(5_000)])).toBeTypeOf('function');
      isCut = false;
      await closed(store, other);
    });

    test('a store that was cut off for longer than its lease is seen again as soon as it renews', async () => {
      const log = newLog();
      let isCut = false;
      const cut = failingPool(pool, () => isCut);
      const [store, other] = [await open({ pool: cut, log, times: SHORT }), await open({ pool, log })];
      isCut = true;
      await expect.poll(() => other.isShared?.()).toBe(false);
      // another store that opens removes what is left of it
      await (await open({ pool, log })).close();
      isCut = false;
      await expect.poll(() => other.isShared?.()).toBe(true);
      expect(await other.destroy()).toMatchObject({ ok: false, refusal: { code: 'store_busy' } });
      await closed(store, other);
    });

    test('a store whose first sign of life met a cut connection is seen by others', async () => {
      const log = newLog();
      const cut = failingPool(pool, firstOf(/^delete from sallyport\.claim/));
      const [store, other] = [await open({ pool: cut, log }), await open({ pool, log })];
      expect(await other.isShared?.()).toBe(true);
      await closed(store, other);
    });

    test('hints arrive over a connection that listens, and never behind a proxy that pools transactions', async () => {
      const [store, other] = await two(await newPlace());
      const hints = PgHints.over(pool);
      for (const each of [store, other]) each.peers.onMessage(() => undefined);
      if (IS_POOLED) await new Promise((later) => setTimeout(later, 500));
      else await expect.poll(() => hints.isHeard).toBe(true);
      expect(hints.isHeard).toBe(!IS_POOLED);
      await closed(store, other);
      expect(hints.isHeard).toBe(false);
    });
  });
