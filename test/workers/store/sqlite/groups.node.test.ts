import { describe, expect, test } from 'vitest';
import { SqlConnection, type SqlDatabase, sqlModule } from '../../../../workers/store/sqlite/connection.ts';
import { openSqliteStore } from '../../../../workers/store/sqlite/store.ts';
import type { Append, Durability } from '../../../../workers/store/store.ts';
import { behind, closed, first } from '../../../../workers/testing/store/lease-suite.ts';
import { payload } from '../../../../workers/testing/store/sample.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SQLITE, newFiles } from './place.ts';

const newFile = newFiles();

const PRAGMA = 'pragma synchronous = ';

/** A database that notes its settings and the end of each transaction. `fail` may throw in the place of a commit. */
function notingDatabase(database: SqlDatabase, noted: string[], fail: () => void): SqlDatabase {
  const note = (sql: string): void => {
    if (sql === 'commit') fail();
    if (['commit', 'rollback'].includes(sql) || sql.startsWith(PRAGMA)) noted.push(sql.replace(PRAGMA, ''));
  };
  return {
    close: () => database.close(),
    exec: (sql) => {
      note(sql);
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
        run: (...values) => {
          note(sql);
          return statement.run(...values);
        },
      };
    },
  };
}

/** A connection to a file with an empty table of numbers, and what its database noted since. */
async function opened(fail: () => void = () => undefined) {
  const path = newFile();
  await valueOf(openSqliteStore(path)).close();
  const database = new (sqlModule().DatabaseSync)(path);
  database.exec('create table number (n integer primary key)');
  const noted: string[] = [];
  const connection = new SqlConnection(notingDatabase(database, noted, fail));
  const write = (n: number, durability: Durability = 'strict', bytes = 1) =>
    connection.write(durability, () => connection.run('insert into number values (?)', n), bytes);
  const numbers = () => connection.all('select n from number order by n').map(({ n }) => Number(n));
  return { path, connection, noted, write, numbers };
}

const full = (): never => {
  throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
};

/** Appends to these runs. */
const firsts = (count: number): readonly Append[] => Array.from({ length: count }, (_, nth) => first(nth + 1));

if (!HAS_SQLITE) test.skip(ABSENT, () => undefined);
else
  describe('writes to a file of SQLite at the same time', () => {
    test('share a transaction, and no write is answered before its commit', async () => {
      const { connection, noted, write, numbers } = await opened();
      await Promise.all([1, 2, 3, 4].map(async (n) => write(n).then(() => noted.push(`answered ${n}`))));
      expect(noted).toEqual(['full', 'commit', 'answered 1', 'answered 2', 'answered 3', 'answered 4']);
      expect(numbers()).toEqual([1, 2, 3, 4]);
      await connection.close();
    });

    test('are flushed together where one of them is strict', async () => {
      const { connection, noted, write } = await opened();
      await Promise.all([write(1, 'relaxed'), write(2, 'strict'), write(3, 'relaxed')]);
      await Promise.all([write(4, 'relaxed'), write(5, 'relaxed')]);
      expect(noted).toEqual(['full', 'commit', 'normal', 'commit']);
      await connection.close();
    });

    test('join the transaction although they come in tasks of their own', async () => {
      const { connection, noted, write } = await opened();
      const { port1, port2 } = new MessageChannel();
      const three = new Promise<readonly unknown[]>((resolve) => {
        const writes: Promise<unknown>[] = [];
        port1.onmessage = ({ data }) => {
          if (writes.push(write(data as number)) === 3) resolve(Promise.all(writes));
        };
      });
      for (const n of [1, 2, 3]) port2.postMessage(n);
      await three;
      expect(noted).toEqual(['full', 'commit']);
      port1.close();
      await connection.close();
    });

    test('are answered one by one where a write of their transaction fails', async () => {
      const { connection, noted, write, numbers } = await opened();
      const defect = new Error('no value');
      const failing = connection.write(
        'strict',
        () => {
          connection.run('insert into number values (7)');
          throw defect;
        },
        1,
      );
      const [one, failed, taken, last] = await Promise.allSettled([write(1), failing, write(1), write(3)]);
      expect(one).toMatchObject({ value: { ok: true } });
      expect(failed).toEqual({ status: 'rejected', reason: defect });
      expect(taken).toMatchObject({ value: { ok: false, refusal: { code: 'store_damaged' } } });
      expect(last).toMatchObject({ value: { ok: true } });
      expect(numbers()).toEqual([1, 3]);
      expect(noted.filter((each) => each === 'commit')).toHaveLength(2);
      await connection.close();
    });

    test('have the room that is left on a full disk, in their order', async () => {
      let commits = 0;
      // the shared commit finds no room, nor does the second write of its own
      const { connection, write, numbers } = await opened(() => void ([1, 3].includes(++commits) && full()));
      const answers = await Promise.all([write(1), write(2), write(3)]);
      expect(answers.map((answer) => answer.ok || answer.refusal.code)).toEqual([true, 'store_full', true]);
      expect(numbers()).toEqual([1, 3]);
      await connection.close();
    });

    test('are all refused where the disk fails, and so is every later write', async () => {
      const { connection, noted, write } = await opened(() => {
        throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
      });
      for (const n of [1, 3]) {
        const answers = await Promise.all([write(n), write(n + 1)]);
        expect(answers.map((answer) => answer.ok || answer.refusal.code)).toEqual(['store_lost', 'store_lost']);
      }
      expect(noted).toEqual(['full', 'rollback']);
      await connection.close();
    });

    test('keep their order beside work outside of a transaction, and before the end of the file', async () => {
      const { connection, noted, write, numbers } = await opened();
      const seen = connection.alone(() => numbers());
      const before = [write(1), write(2)];
      const between = connection.alone(() => numbers());
      const after = [write(3), write(4)];
      const last = connection.alone(() => numbers());
      await connection.close();
      expect([await seen, await between, await last].map(valueOf)).toEqual([[], [1, 2], [1, 2, 3, 4]]);
      expect((await Promise.all([...before, ...after])).every(({ ok }) => ok)).toBe(true);
      expect(noted).toEqual(['full', 'commit', 'commit']);
      expect(await write(5)).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
    });

    test('share a transaction up to 256 writes and 4 MB', async () => {
      const { connection, noted, write } = await opened();
      await Promise.all(Array.from({ length: 257 }, (_, n) => write(n)));
      expect(noted.splice(0)).toEqual(['full', 'commit', 'commit']);
      await Promise.all([2_000_000, 2_000_000, 500_000].map((bytes, nth) => write(300 + nth, 'strict', bytes)));
      expect(noted.splice(0)).toEqual(['commit', 'commit']);
      await Promise.all([9_000_000, 1].map((bytes, nth) => write(310 + nth, 'strict', bytes)));
      expect(noted.splice(0)).toEqual(['commit', 'commit']);
      await connection.close();
    });

    test('wait together while another process holds the file', async () => {
      const { path, connection, noted, write, numbers } = await opened();
      const other = new (sqlModule().DatabaseSync)(path);
      other.exec('begin immediate');
      const waiting = Promise.all([write(1), write(2)]);
      setTimeout(() => other.exec('commit'), 50);
      expect((await waiting).every(({ ok }) => ok)).toBe(true);
      expect(noted.filter((each) => each === 'commit')).toHaveLength(1);
      expect(numbers()).toEqual([1, 2]);
      other.close();
      await connection.close();
    });

    test('of two stores make one log, with each record of a run behind the other', async () => {
      const path = newFile();
      const stores = [valueOf(openSqliteStore(path)), valueOf(openSqliteStore(path))];
      const appends = firsts(16).flatMap((append) => [append, behind(append)]);
      const large = { ...first(99), payloads: [payload('x'.repeat(5_000_000))] };
      const answers = await Promise.all(
        stores.flatMap((store, nth) => {
          const own = [...appends, large].filter(({ run_id }) => Number.parseInt(run_id.slice(0, 8), 16) % 2 === nth);
          return own.map((append) => store.append(append, 'strict'));
        }),
      );
      const places = answers.map((answer) => valueOf(answer)?.seq);
      expect(new Set(places).size).toBe(33);
      for (const store of stores) {
        const batches = valueOf(await store.log(0, 100));
        expect(batches.map(({ seq }) => seq)).toEqual(places.toSorted((one, other) => Number(one) - Number(other)));
        for (const append of firsts(16))
          expect(valueOf(await store.read(append.run_id)).map(({ run_seq }) => run_seq)).toEqual([
            0,
            append.records.length,
          ]);
      }
      await closed(...stores);
    });

    test('with a value that cannot be stored leave nothing of it, and all of the others', async () => {
      const store = valueOf(openSqliteStore(newFile()));
      const [one, bad, other] = firsts(3) as [Append, Append, Append];
      const value = (() => undefined) as never;
      const answers = await Promise.allSettled([
        store.append(one, 'strict'),
        store.append({ ...bad, tables: [{ table: 'kept', key: 'k', value }] }, 'strict'),
        store.append(other, 'strict'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(valueOf(await store.runs()).map(({ run_id }) => run_id)).toEqual(
        expect.arrayContaining([one.run_id, other.run_id]),
      );
      expect(valueOf(await store.head()).size).toBe(one.records.length + other.records.length);
      await store.close();
    });
  });
