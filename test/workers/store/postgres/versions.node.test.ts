import { describe, expect, test } from 'vitest';
import { FORMS, type TableForm } from '../../../../workers/store/postgres/schema.ts';
import { openPostgresStore, type PgStoreOptions } from '../../../../workers/store/postgres/store.ts';
import type { SharedStore } from '../../../../workers/store/shared-store.ts';
import { first, RUN, SHORT } from '../../../../workers/testing/store/lease-suite.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, newDatabase, type OwnPool, open } from './place.ts';

/** The next form, with a table that no database has yet. */
const NEXT: TableForm = {
  tables: [...(FORMS.at(-1)?.tables ?? []), 'witness'],
  steps: ['create table sallyport.witness (log integer primary key, size bigint not null)'],
};
const NEXT_FORMS = [...FORMS, NEXT];

const newer = { ok: false, refusal: { code: 'store_newer' } };

/** A row of kept values. */
const row = [{ table: 'kept', key: 'a', value: 1 }] as const;

/** Answers of all writes of a store but `append` and claims. */
async function writes(store: SharedStore): Promise<readonly unknown[]> {
  const batches = valueOf(await store.read(RUN));
  return [
    await store.put(row, 'strict'),
    await store.replace(batches.map((batch) => ({ ...batch, payloads: [] }))),
    await store.restore(async (nth) => (nth === 0 ? { batches: [], tables: row } : undefined)),
    await store.destroy(),
  ];
}

/** What the tables hold, apart from the signs of open stores. */
async function tablesOf(owner: OwnPool): Promise<readonly unknown[]> {
  const names = ['batch', 'payload', 'row'];
  const counts = names.map((name) => `(select count(*) from sallyport.${name})::int as ${name}`);
  const claims = "(select count(*) from sallyport.claim where name not like 'open:%')::int as claim";
  return (await owner.query(`select ${[...counts, claims].join(', ')}`)).rows;
}

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('the versions of a database of PostgreSQL', () => {
    test('a program that is older than the tables writes no row, also where it was open before', async () => {
      const { pool, owner } = await newDatabase();
      const store = await open({ pool, log: 'a' });
      valueOf(await store.append(first(), 'strict'));
      const before = await tablesOf(owner);
      await owner.query('insert into sallyport.version (version) values (99)');
      for (const answer of await writes(store)) expect(answer).toMatchObject(newer);
      expect(await store.append(first(2), 'strict')).toMatchObject(newer);
      await expect(store.claim(RUN)).rejects.toMatchObject({ code: 'store_newer' });
      await expect(store.exclusive()).rejects.toMatchObject({ code: 'store_newer' });
      expect(await tablesOf(owner)).toEqual(before);
      await store.close();
    });

    test('an older program that looks finds the newer version, refuses reads too, and renews no lease', async () => {
      const { pool, owner } = await newDatabase();
      const looks = { hintedMs: 50, blindMs: 50 };
      const store = await open({ pool, log: 'a', looks, times: SHORT });
      const next = async () => openPostgresStore({ pool, log: 'a', forms: NEXT_FORMS });
      valueOf(await store.append(first(), 'strict'));
      await store.claim(RUN);
      store.peers.onMessage(() => undefined);
      const other = valueOf(await next());
      await expect.poll(() => store.read(RUN)).toMatchObject(newer);
      await expect.poll(() => other.held()).toEqual(new Set());
      expect(await other.claim(RUN)).toBeDefined();
      await store.close();
      await other.close();
      expect((await owner.query('select max(version) as n from sallyport.version')).rows).toEqual([
        { n: NEXT_FORMS.length },
      ]);
    });

    test('programs of a new version that open an older database at the same moment bring its tables to their form once', async () => {
      const { pool, owner } = await newDatabase();
      const old = await open({ pool, log: 'a' });
      valueOf(await old.append(first(), 'strict'));
      const { size } = valueOf(await old.head());
      await old.close();
      const openNext = async (more: Partial<PgStoreOptions> = {}) =>
        valueOf(await openPostgresStore({ pool, log: 'a', forms: NEXT_FORMS, ...more }));
      const stores = await Promise.all([1, 2, 3, 4].map(() => openNext()));
      for (const store of stores) expect(valueOf(await store.head()).size).toBe(size);
      valueOf(await (stores[0] as SharedStore).append(first(2), 'strict'));
      expect((await owner.query('select version from sallyport.version order by version')).rows).toEqual(
        NEXT_FORMS.map((_, nth) => ({ version: nth + 1 })),
      );
      expect((await owner.query('select count(*)::int as n from sallyport.witness')).rows).toEqual([{ n: 0 }]);
      expect(await openPostgresStore({ pool, log: 'a' })).toMatchObject(newer);
      await owner.query('drop table sallyport.witness');
      const damaged = { refusal: { message: expect.stringContaining('no table sallyport.witness') } };
      expect(await openPostgresStore({ pool, log: 'a', forms: NEXT_FORMS })).toMatchObject(damaged);
      await Promise.all(stores.map((store) => store.close()));
    });
  });
