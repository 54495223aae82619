import { describe, expect, test } from 'vitest';
import { deferred } from '../../../../workers/async.ts';
import type { PgPool } from '../../../../workers/postgres.ts';
import { behind, closed, first, SHORT } from '../../../../workers/testing/store/lease-suite.ts';
import { valueOf } from '../store-suite.ts';
import { watchedPool } from './failing-pool.ts';
import { ABSENT, HAS_SERVER, newLog, newPool, open, ownerPool } from './place.ts';

const RENEWAL = /insert into sallyport\.claim[^]*update sallyport\.claim/;
const LOOK = /'grown'/;

/** A pool that counts the statements that match. */
function countingPool(pool: PgPool, pattern: RegExp): { readonly pool: PgPool; count(): number } {
  let count = 0;
  const before = async (text: string): Promise<void> => {
    if (pattern.test(text)) count++;
  };
  return { pool: watchedPool(pool, before), count: () => count };
}

const pause = (ms: number): Promise<void> => new Promise((later) => setTimeout(later, ms));

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('many logs over a pool of PostgreSQL', () => {
    const [pool, owner] = [newPool(), ownerPool()];

    test('share the renewals of their leases', async () => {
      const counting = countingPool(pool, RENEWAL);
      const logs = Array.from({ length: 24 }, newLog);
      const stores = await Promise.all(logs.map((log) => open({ pool: counting.pool, log, times: SHORT })));
      for (const [nth, store] of stores.entries()) expect(await store.claim(first(nth).run_id)).toBeDefined();
      const [before, began] = [counting.count(), performance.now()];
      // longer than a lease: each one that is not renewed has ended
      await pause(2 * SHORT.leaseMs);
      const beats = (performance.now() - began) / SHORT.renewMs;
      expect(counting.count() - before).toBeLessThan(3 * beats);
      const { rows } = await owner.query(
        `select split_part(c.name, ':', 1) as kind from sallyport.claim c join sallyport.log l on l.id = c.log
          where l.name = any($1::text[]) and owner is not null and expires > clock_timestamp() order by kind`,
        [logs],
      );
      expect(rows.map(({ kind }) => kind)).toEqual([...logs.map(() => 'open'), ...logs.map(() => 'run')]);
      await closed(...stores);
    });

    test('renew their leases while the connection of an earlier renewal hangs', async () => {
      const hung = deferred<void>();
      let renewals = 0;
      const hanging = watchedPool(pool, async (text) => {
        if (RENEWAL.test(text)) renewals++;
        if (RENEWAL.test(text) && renewals === 3) await hung.promise;
      });
      const store = await open({ pool: hanging, log: newLog(), times: SHORT });
      await expect.poll(() => renewals, { timeout: 20_000 }).toBeGreaterThan(6);
      hung.resolve();
      await store.close();
    });

    test('hear of the appends of others, each of its own log', async () => {
      const counting = countingPool(pool, LOOK);
      const logs = Array.from({ length: 12 }, newLog);
      const looks = { hintedMs: 100, blindMs: 100 };
      const stores = await Promise.all(logs.map((log) => open({ pool: counting.pool, log, looks })));
      const heard = stores.map((): string[] => []);
      for (const [nth, store] of stores.entries())
        store.peers.onMessage(({ type, run_id }) => void heard[nth]?.push(`${type} ${run_id}`));
      const other = await open({ pool: newPool(), log: logs[5] ?? '' });
      const append = first(77);
      await expect.poll(() => counting.count(), { timeout: 20_000 }).toBeGreaterThan(2);
      valueOf(await other.append(append, 'strict'));
      valueOf(await other.append(behind(append), 'strict'));
      await expect.poll(() => heard[5]?.length, { timeout: 20_000 }).toBeGreaterThan(0);
      const [before, began] = [counting.count(), performance.now()];
      await pause(1_000);
      expect(counting.count() - before).toBeLessThan((3 * (performance.now() - began)) / looks.hintedMs);
      expect(heard.map((messages) => new Set(messages))).toEqual(
        logs.map((_, nth) => new Set(nth === 5 ? [`grown ${append.run_id}`] : [])),
      );
      await closed(other, ...stores);
    });
  });
