import { describe, expect, test } from 'vitest';
import { LOCKS } from '../../../../workers/store/postgres/connection.ts';
import { PgHints } from '../../../../workers/store/postgres/watch.ts';
import type { SharedStore } from '../../../../workers/store/shared-store.ts';
import { behind, closed, first, PAUSED, RUN } from '../../../../workers/testing/store/lease-suite.ts';
import { notedPool } from '../../../load/noted-pool.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, IS_POOLED, newLog, newPool, type OwnPool, open, ownerPool } from './place.ts';

const refusal = (code: string) => ({ ok: false, refusal: { code } });

async function idOf(owner: OwnPool, log: string): Promise<string> {
  const { rows } = await owner.query('select id from sallyport.log where name = $1', [log]);
  return String(rows[0]?.['id']);
}

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe.each([
    ['that nobody listens over', false],
    ['with a connection that listens, and prepared statements', true],
  ])('appends of several logs over a pool of PostgreSQL %s', (_title, listens) => {
    const [pool, owner] = [newPool(), ownerPool()];
    const three = async () => {
      const logs = [newLog(), newLog(), newLog()];
      const stores = await Promise.all(logs.map((log) => open({ pool, log })));
      if (listens) await listen(stores);
      return { logs, stores };
    };
    /** Listens as a runtime does; behind a proxy no notification arrives, and no statement is prepared. */
    const listen = async (stores: readonly SharedStore[]) => {
      for (const store of stores) store.peers.onMessage(() => undefined);
      if (!IS_POOLED) await expect.poll(() => PgHints.over(pool).isHeard, { timeout: 20_000 }).toBe(true);
    };

    test('appends to 32 logs share at most three transactions, and each log has its own records', async () => {
      const noted = notedPool(pool);
      const logs = Array.from({ length: 32 }, () => newLog());
      const stores = await Promise.all(logs.map((log) => open({ pool: noted.pool, log })));
      const answers = await Promise.all(stores.map((store, nth) => store.append(first(nth + 1), 'strict')));
      expect(answers.map((answer) => valueOf(answer)?.seq)).toEqual(stores.map(() => 0));
      expect([...noted.written.values()].flat().length).toBeLessThanOrEqual(3);
      for (const [nth, store] of stores.entries()) {
        const { run_id, records } = first(nth + 1);
        expect(valueOf(await store.runs()).map((row) => row.run_id)).toEqual([run_id]);
        expect(valueOf(await store.head()).size).toBe(records.length);
      }
      await closed(...stores);
    });

    test('a log whose last batch was altered refuses its append, and the logs beside it are written', async () => {
      const { logs, stores } = await three();
      for (const store of stores) valueOf(await store.append(first(1), 'strict'));
      await owner.query(
        `update sallyport.batch set frame = set_byte(frame, 40, get_byte(frame, 40) # 1) where log = ${await idOf(owner, logs[1] ?? '')}`,
      );
      const answers = await Promise.all(stores.map((store) => store.append(first(2), 'strict')));
      expect(answers.map((answer) => answer.ok || answer.refusal.code)).toEqual([true, 'store_damaged', true]);
      await closed(...stores);
    });

    test('a log whose rows the server refuses is refused alone, and the logs beside it are written', async () => {
      const { logs, stores } = await three();
      const id = await idOf(owner, logs[1] ?? '');
      // the place of the next payload is taken
      await owner.query(`insert into sallyport.payload values (${id}, 0, 0, 'other', 'other', '')`);
      const answers = await Promise.all(stores.map((store) => store.append(first(1), 'strict')));
      expect(answers.map((answer) => answer.ok || answer.refusal.code)).toEqual([true, 'store_damaged', true]);
      expect(valueOf(await (stores[0] as (typeof stores)[0]).head()).size).toBe(first().records.length);
      await closed(...stores);
    });

    test('a store that lost its run is refused with run_open in a shared transaction, and the logs beside it are written', async () => {
      const [log, second] = [newLog(), newLog()];
      const [former, beside] = [await open({ pool, log, times: PAUSED }), await open({ pool, log: second })];
      const other = await open({ pool: newPool(), log });
      if (listens) await listen([beside]);
      expect(await former.claim(RUN)).toBeDefined();
      valueOf(await former.append(first(), 'strict'));
      await expect.poll(() => other.claim(RUN), { timeout: 20_000 }).toBeDefined();
      const answers = await Promise.all([former.append(behind(first()), 'strict'), beside.append(first(), 'strict')]);
      expect(answers[0]).toMatchObject(refusal('run_open'));
      valueOf(answers[1] as (typeof answers)[1]);
      await closed(former, beside, other);
    });

    test('an append with an old head is refused in a shared transaction, and a repeated append is found', async () => {
      const { stores } = await three();
      const [one, two, third] = stores as [(typeof stores)[0], (typeof stores)[0], (typeof stores)[0]];
      valueOf(await one.append(first(), 'strict'));
      const answers = await Promise.all([
        one.append(first(), 'strict'),
        two.append(behind(first()), 'strict'),
        third.append(first(), 'strict'),
      ]);
      expect(answers.map((answer) => (answer.ok ? answer.value?.seq : answer.refusal.code))).toEqual([
        0,
        'head_moved',
        0,
      ]);
      await closed(...stores);
    });

    test('appends to a locked log keep their order when they wait for it', async () => {
      const { logs, stores } = await three();
      const [locked, free] = stores as [(typeof stores)[0], (typeof stores)[0]];
      const lock = await owner.connect();
      await lock.query(`begin; select pg_advisory_xact_lock(${LOCKS}, ${await idOf(owner, logs[0] ?? '')})`);
      const all = Array.from({ length: 40 }, (_, nth) => first(nth + 1));
      const waiting = all.flatMap((each) => [locked.append(each, 'strict'), locked.append(behind(each), 'strict')]);
      for (const each of all.slice(0, 5)) {
        valueOf(await free.append(each, 'strict'));
        waiting.push(locked.append(behind(behind(each)), 'strict'));
      }
      await lock.query('commit');
      lock.release();
      for (const answer of await Promise.all(waiting)) valueOf(answer);
      await closed(...stores);
    });

    test('two stores on the same log over a pool share it with other logs', async () => {
      const [log, second] = [newLog(), newLog()];
      const stores = await Promise.all([log, log, second].map((each) => open({ pool, log: each })));
      const turns = Array.from({ length: 10 }, () => stores).flat();
      const answers = await Promise.all(turns.map((store, nth) => store.append(first(nth + 1), 'strict')));
      const places = answers.map((answer) => valueOf(answer)?.seq);
      expect(new Set(places.filter((_, nth) => nth % 3 < 2)).size).toBe(20);
      await closed(...stores);
    });

    test('an id of a run with signs of PostgreSQL and of JavaScript is stored as it is', async () => {
      const { stores } = await three();
      const ids = ['a,b', '{a}', '"a"', "a'b", 'a\\b', 'null', '$1', 'ä\u{1f600}', ' '];
      for (const run_id of ids) {
        const { records, expected } = first();
        const renamed = records.map((link) => ({ ...link, record: { ...link.record, run_id } }));
        const append = { run_id, expected, records: renamed, payloads: [] };
        for (const store of stores) valueOf(await store.append(append, 'strict'));
        const last = renamed.at(-1)?.record;
        for (const store of stores)
          expect(valueOf(await store.read(run_id)).at(-1)?.after.run).toMatchObject({ run_id, head: last?.hash });
      }
      await closed(...stores);
    });
  });
