import { describe, expect, test } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import type { Outcome } from '../../../../core/outcome.ts';
import {
  SqlConnection,
  type SqlDatabase,
  type SqlValue,
  sqlModule,
} from '../../../../workers/store/sqlite/connection.ts';
import { Leases } from '../../../../workers/store/sqlite/leases.ts';
import { openSqliteStore } from '../../../../workers/store/sqlite/store.ts';
import {
  closed,
  first,
  LASTING,
  type LeasePlace,
  leaseSuite,
  RUN,
  SHORT,
  two,
} from '../../../../workers/testing/store/lease-suite.ts';
import { runId } from '../../../core/ledger/sample.ts';
import { leaseRuntimeTest } from '../lease-runtime.ts';
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

/** A connection that refuses writes, as where another process holds the file for too long. */
class RefusingConnection extends SqlConnection {
  isRefusing = false;

  override async write<T>(...given: Parameters<typeof SqlConnection.prototype.write<T>>): Promise<Outcome<T>> {
    if (this.isRefusing) return refuse('store_locked', { lock: 'held by another process' });
    return super.write(...given);
  }
}

/** A database whose next commit meets a full disk. */
function withFullDisk(database: SqlDatabase): SqlDatabase {
  let isFull = true;
  const run = (): never => {
    isFull = false;
    database.exec('rollback');
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  };
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      const commit = { ...statement, run: (...values: SqlValue[]) => (isFull ? run() : statement.run(...values)) };
      return sql === 'commit' ? commit : statement;
    },
  };
}

async function newPlace(): Promise<LeasePlace> {
  const path = newFile();
  return {
    open: async (times = LASTING) => valueOf(openSqliteStore(path, times)),
    expires: async (run_id) => expires(path, run_id),
  };
}

if (!HAS_SQLITE) test.skip(ABSENT, () => undefined);
else
  describe('the leases of a file of SQLite', () => {
    leaseSuite('in a file of SQLite', newPlace);
    leaseRuntimeTest(newPlace);

    test('a run whose release the file refused is free after the time of its lease', async () => {
      const path = newFile();
      const other = valueOf(openSqliteStore(path, LASTING));
      const connection = new RefusingConnection(new (sqlModule().DatabaseSync)(path));
      const leases = new Leases(connection, SHORT);
      const [release, kept] = [await leases.claim(RUN), await leases.claim(runId(2))];
      connection.isRefusing = true;
      release?.();
      connection.isRefusing = false;
      await expect.poll(() => other.held()).toEqual(new Set([runId(2)]));
      expect(await other.claim(RUN)).toBeDefined();
      kept?.();
      await connection.close();
      await other.close();
    });

    test.each<[what: string, take: (leases: Leases) => Promise<unknown>]>([
      ['a run', (leases) => leases.claim(RUN)],
      ['the content', (leases) => leases.exclusive()],
    ])('%s whose claim met a full disk can be claimed once there is room', async (_what, take) => {
      const path = newFile();
      await valueOf(openSqliteStore(path, LASTING)).close();
      const connection = new SqlConnection(withFullDisk(new (sqlModule().DatabaseSync)(path)));
      const leases = new Leases(connection, LASTING);
      const [refused, taken] = await Promise.allSettled([take(leases), take(leases)]);
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'store_full' } });
      expect(taken).toMatchObject({ status: 'fulfilled', value: expect.any(Function) });
      leases.close();
      await connection.close();
    });

    test('a lease that was written with a wrong clock is free', async () => {
      const [store, other] = await two(await newPlace(), { ...LASTING, leaseMs: 1e9 });
      await store.claim(RUN);
      expect(await other.held()).toEqual(new Set());
      expect(await other.claim(RUN)).toBeDefined();
      expect(await store.append(first(), 'strict')).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
      await closed(store, other);
    });
  });
