import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../core/hash.ts';
import { LOCKS } from '../../../../workers/store/postgres/connection.ts';
import type { Append } from '../../../../workers/store/store.ts';
import { behind, closed, first } from '../../../../workers/testing/store/lease-suite.ts';
import { payload } from '../../../../workers/testing/store/sample.ts';
import { notedPool } from '../../../load/noted-pool.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, newLog, newPool, open, ownerPool } from './place.ts';

/** Runs that are written at the same time. */
const RUNS = Array.from({ length: 64 }, (_, nth) => nth + 1);

const NONE = new Uint8Array();

/** First appends of runs, with a payload of 40 KB each. */
const LARGE = RUNS.slice(0, 12).map((run): Append => {
  const append = first(run);
  return { ...append, payloads: [...append.payloads, payload(`${run}`.repeat(40_000).slice(0, 40_000))] };
});

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

    test('the batches of a transaction are sent in a message with its commit and its flush', async () => {
      const noted = notedPool(pool);
      const store = await open({ pool: noted.pool, log: newLog() });
      const before = noted.counts().statements;
      valueOf(await store.append(first(), 'strict'));
      const after = noted.counts().statements;
      // the locks, the state of the log, and the message; a session that is our own sends the first two together
      expect(after - before).toBe(3);
      expect([...noted.written.values()].flat().length).toBe(1);
      await store.close();
    });

    test('a transaction of many bytes adds its batches in several statements', async () => {
      const noted = notedPool(pool);
      const store = await open({ pool: noted.pool, log: newLog() });
      const answers = await Promise.all(LARGE.map((append) => store.append(append, 'strict')));
      expect(answers.every(({ ok }) => ok)).toBe(true);
      const transactions = [...noted.written.values()].flat();
      expect(transactions.length).toBeLessThanOrEqual(3);
      expect(Math.max(...transactions.map((statements) => statements.length))).toBeGreaterThan(1);
      for (const { run_id, records, payloads } of LARGE) {
        const batches = valueOf(await store.read(run_id));
        expect(batches.flatMap((batch) => batch.records)).toEqual(records.map(({ text }) => text));
        for (const { sha256 } of payloads)
          expect(sha256Hex(valueOf(await store.payload(run_id, sha256)) ?? NONE)).toBe(sha256);
      }
      await store.close();
    });

    test.each([
      ['has sent', LARGE],
      ['would send', RUNS.slice(0, 12).map((run) => first(run))],
    ])('a transaction that cannot place a later batch adds nothing of what it %s before', async (_, before) => {
      const log = newLog();
      const store = await open({ pool, log });
      const stored = first(100);
      valueOf(await store.append(stored, 'strict'));
      valueOf(await store.append(behind(stored), 'strict'));
      await owner.query(
        `update sallyport.batch set frame = set_byte(frame, 40, get_byte(frame, 40) # 1) where run_seq = 0
          and log = (select id from sallyport.log where name = $1)`,
        [log],
      );
      // the repeated append has the store read the altered batch
      const answers = await Promise.all([...before, stored].map((append) => store.append(append, 'strict')));
      expect(answers.map((answer) => answer.ok || answer.refusal.code)).toEqual(answers.map(() => 'store_damaged'));
      expect(valueOf(await store.runs()).map(({ run_id }) => run_id)).toEqual([stored.run_id]);
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
