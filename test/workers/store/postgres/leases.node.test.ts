import { describe, expect, test, vi } from 'vitest';
import { PgHints } from '../../../../workers/store/postgres/hints.ts';
import { closed, first, type LeasePlace, leaseSuite, RUN, two } from '../lease-suite.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, IS_POOLED, newLog, newPool, open, ownerPool } from './place.ts';

const EXPIRES = `select extract(epoch from expires) * 1000 as ms from sallyport.claim
  where name = $1 and log = (select id from sallyport.log where name = $2)`;

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('the leases of a log in PostgreSQL', () => {
    const [pool, owner] = [newPool(), ownerPool()];
    const newPlace = (): LeasePlace => {
      const log = newLog();
      return {
        open: (times) => open({ pool, log, ...(times && { times }) }),
        async expires(run_id) {
          const { rows } = await owner.query(EXPIRES, [`run:${run_id}`, log]);
          return Number(rows[0]?.['ms']);
        },
      };
    };

    leaseSuite(newPlace);

    test('clocks of two programs that differ by an hour change no lease', async () => {
      const [store, other] = await two(newPlace());
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
      const [store, other] = await two(newPlace());
      await store.claim(RUN);
      await owner.query("update sallyport.claim set expires = expires + interval '1 hour' where name = $1", [
        `run:${RUN}`,
      ]);
      expect(await other.held()).toEqual(new Set());
      expect(await other.claim(RUN)).toBeDefined();
      expect(await store.append(first(), 'strict')).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
      await closed(store, other);
    });

    test('hints arrive over a connection that listens, and never behind a proxy that pools transactions', async () => {
      const [store, other] = await two(newPlace());
      const hints = PgHints.over(pool);
      for (const each of [store, other]) each.peers.onMessage(() => undefined);
      if (IS_POOLED) await new Promise((later) => setTimeout(later, 500));
      else await expect.poll(() => hints.isHeard).toBe(true);
      expect(hints.isHeard).toBe(!IS_POOLED);
      await closed(store, other);
      expect(hints.isHeard).toBe(false);
    });
  });
