import { afterEach, describe, expect, test, vi } from 'vitest';
import { extend, NO_RECORDS, type RunHead } from '../../../../core/ledger/chain.ts';
import type { LogBody } from '../../../../core/ledger/kinds/log.ts';
import type { KeptRunList, LedgerDb } from '../../../../workers/store/page/database.ts';
import { RUNS } from '../../../../workers/store/page/database.ts';
import { type DatabaseStore, openDatabaseStore } from '../../../../workers/store/page/database-store.ts';
import { readRecordCounts } from '../../../../workers/store/page/run-list.ts';
import { type Batch, youngestFirst } from '../../../../workers/store/store.ts';
import { recordInLog } from '../../../../workers/store/system-log.ts';
import { valueOf } from '../store-suite.ts';

/** More runs than the list needs to be kept. */
const MANY = 80;
const RESTORED: LogBody = { event: 'restored', size: 0, root: '', found: 0 };
const idOf = (n: number) =>
  `${(n * 7919).toString(16).padStart(8, '0').slice(-8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Adds a record to a run, as its only writer. */
async function grow(store: DatabaseStore, run_id: string, at = 1): Promise<void> {
  const row = valueOf(await store.run(run_id));
  const expected: RunHead = row ? { records: row.records, head: row.head } : NO_RECORDS;
  const link = extend(expected, { kind: 'log', body: RESTORED }, { run_id, epoch: 1, at });
  valueOf(await store.append({ run_id, expected, records: [link], payloads: [] }, 'relaxed'));
}

async function storeWith(runs: number): Promise<{ readonly name: string; readonly store: DatabaseStore }> {
  const name = `list-${crypto.randomUUID()}`;
  const store = valueOf(await openDatabaseStore(name));
  await Promise.all(Array.from({ length: runs }, (_, n) => grow(store, idOf(n), n + 1)));
  return { name, store };
}

/** The list by a way of its own: every batch is read. */
async function everyRow(store: DatabaseStore) {
  const last = new Map<string, Batch>();
  for (const batch of valueOf(await store.log(0, 10_000))) last.set(batch.run_id, batch);
  return youngestFirst([...last.values()].flatMap(({ gone, after }) => (gone === undefined ? [after.run] : [])));
}

async function expectTrue(store: DatabaseStore): Promise<void> {
  expect(valueOf(await store.runs())).toEqual(await everyRow(store));
}

/** Counts the steps of cursors and the requests that `act` makes. */
async function costOf(act: () => Promise<unknown>): Promise<{ readonly steps: number; readonly requests: number }> {
  const steps = [
    vi.spyOn(IDBIndex.prototype, 'openCursor'),
    vi.spyOn(IDBObjectStore.prototype, 'openCursor'),
    vi.spyOn(IDBCursor.prototype, 'continue'),
  ];
  const requests = (['get', 'getAll', 'getAllKeys'] as const).map((name) => vi.spyOn(IDBObjectStore.prototype, name));
  await act();
  const sum = (spies: readonly { readonly mock: { readonly calls: readonly unknown[] } }[]): number =>
    spies.reduce((all, { mock }) => all + mock.calls.length, 0);
  const cost = { steps: sum(steps), requests: sum(requests) };
  for (const spy of [...steps, ...requests]) spy.mockRestore();
  return cost;
}

const deleteRun = async (store: DatabaseStore, run_id: string, between = async () => {}): Promise<void> => {
  const { records, head } = valueOf(await store.run(run_id)) ?? NO_RECORDS;
  valueOf(await recordInLog(store, 1, { event: 'deleted', run: run_id, records, head }));
  await between();
  const batches = valueOf(await store.read(run_id));
  const gone = (batch: Batch) => batch.records.map((line) => (JSON.parse(line) as { hash: string }).hash);
  valueOf(await store.replace(batches.map((each) => ({ ...each, records: [], payloads: [], gone: gone(each) }))));
};

test('a list of runs has the last row of each, whatever its id begins with', async () => {
  const { store } = await storeWith(0);
  const ids = Array.from('0123456789abcdef', (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
  for (const run_id of [...ids, 'system']) for (const at of [1, 2]) await grow(store, run_id, at);
  const rows = valueOf(await store.runs());
  expect(rows.map(({ run_id, records }) => [run_id, records])).toEqual([...ids, 'system'].map((id) => [id, 2]));
  expect(rows).toEqual(await everyRow(store));
  expect(valueOf(await store.withDb(readRecordCounts))).toEqual(new Map([...ids, 'system'].map((id) => [id, 2])));
  await store.close();
});

describe('what a list costs', () => {
  test('a second reading takes two requests and no cursor, with any number of runs', async () => {
    const { store } = await storeWith(MANY);
    await store.runs();
    expect(await costOf(() => store.runs())).toEqual({ steps: 0, requests: 2 });
    await store.close();
  });

  test('the next opening reads the list that is kept, and a page of the batches behind it', async () => {
    const { name, store } = await storeWith(MANY);
    await store.runs();
    for (const n of [MANY, MANY + 1, 3, 3]) await grow(store, idOf(n), 1_000 + n);
    await store.close();
    const again = valueOf(await openDatabaseStore(name));
    expect(await costOf(() => again.runs())).toEqual({ steps: 0, requests: 4 });
    await expectTrue(again);
    await again.close();
  });

  test('batches of another tab take a page, and no cursor', async () => {
    const { name, store } = await storeWith(MANY);
    const other = valueOf(await openDatabaseStore(name));
    await store.runs();
    for (const n of [0, MANY + 5, 0]) await grow(other, idOf(n), 2_000 + n);
    expect(await costOf(() => store.runs())).toEqual({ steps: 0, requests: 3 });
    await expectTrue(store);
    await Promise.all([store.close(), other.close()]);
  });

  test('a step to each run is taken where more batches than runs were added', async () => {
    const { store } = await storeWith(2);
    await store.runs();
    for (let at = 0; at < 70; at++) await grow(store, idOf(0), 100 + at);
    const { steps } = await costOf(() => store.runs());
    expect(steps).toBeGreaterThan(2);
    expect(steps).toBeLessThan(70);
    await expectTrue(store);
    await store.close();
  });
});

describe('a deleted run', () => {
  test('leaves the lists of all tabs, and the list that is kept', async () => {
    const { name, store } = await storeWith(MANY);
    const other = valueOf(await openDatabaseStore(name));
    await Promise.all([store.runs(), other.runs()]);
    await deleteRun(other, idOf(5));
    for (const each of [store, other]) {
      await expectTrue(each);
      expect(valueOf(await each.runs()).map(({ run_id }) => run_id)).not.toContain(idOf(5));
      await each.close();
    }
    const again = valueOf(await openDatabaseStore(name));
    await expectTrue(again);
    await again.close();
  });

  test.each([['from memory'], ['by a walk'], ['by a list that was kept']])(
    'is listed until its content goes, and no longer, where it was listed between the record and that: %s',
    async (how) => {
      const { name, store } = await storeWith(MANY);
      const other = valueOf(await openDatabaseStore(name));
      if (how !== 'by a walk') await store.runs();
      await deleteRun(other, idOf(9), async () => {
        expect(valueOf(await store.runs()).map(({ run_id }) => run_id)).toContain(idOf(9));
        if (how !== 'by a list that was kept') return;
        for (let n = 0; n < MANY; n++) await grow(store, idOf(n === 9 ? 10 : n), 5_000 + n);
        expect(valueOf(await store.runs()).map(({ run_id }) => run_id)).toContain(idOf(9));
        await store.close();
      });
      const reader = how === 'by a list that was kept' ? valueOf(await openDatabaseStore(name)) : store;
      await expectTrue(reader);
      expect(valueOf(await reader.run(idOf(9)))).toBeUndefined();
      await Promise.all([reader.close(), other.close()]);
    },
  );
});

describe('a list that is not of this log', () => {
  const keptIn = (db: LedgerDb) => db.get('offsets', RUNS) as Promise<KeptRunList>;
  const falsify = async (name: string, change: (kept: KeptRunList) => unknown) => {
    const store = valueOf(await openDatabaseStore(name));
    valueOf(
      await store.withDb(async (db) => {
        const kept = await keptIn(db);
        expect(kept.rows.length).toBeGreaterThanOrEqual(MANY);
        await db.put('offsets', change(kept) as KeptRunList, RUNS);
      }),
    );
    await store.close();
  };

  test.each<[what: string, change: (kept: KeptRunList) => unknown]>([
    ['lacks a run', (kept) => ({ ...kept, rows: kept.rows.slice(1) })],
    ['has a run too many', (kept) => ({ ...kept, rows: [...kept.rows, { ...kept.rows[0], run_id: idOf(999) }] })],
    ['has another root', (kept) => ({ ...kept, root: 'ab'.repeat(32) })],
    ['is of another place', (kept) => ({ ...kept, last: kept.last + 1 })],
    ['is behind the end', (kept) => ({ ...kept, last: kept.last + 1_000 })],
    ['is a number', () => 7],
    ['has rows of another form', (kept) => ({ ...kept, rows: kept.rows.map(({ run_id }) => ({ run_id })) })],
    ['has no rows', (kept) => ({ ...kept, rows: undefined })],
    ['names no runs', (kept) => ({ ...kept, gone: [1] })],
  ])('a list that %s is not used', async (_, change) => {
    const { name, store } = await storeWith(MANY);
    await store.runs();
    await store.close();
    await falsify(name, change);
    const again = valueOf(await openDatabaseStore(name));
    await expectTrue(again);
    await again.close();
  });

  test('a run that a falsified list hides is found by its id, in a snapshot, and is listed again from then on', async () => {
    const { name, store } = await storeWith(MANY);
    await store.runs();
    await store.close();
    await falsify(name, (kept) => ({ ...kept, gone: [idOf(4)] }));
    const again = valueOf(await openDatabaseStore(name));
    const listed = async () => valueOf(await again.runs()).some(({ run_id }) => run_id === idOf(4));
    expect(await listed()).toBe(false);
    expect(valueOf(await again.run(idOf(4)))?.records).toBe(1);
    expect(valueOf(await again.snapshot()).runs).toEqual(await everyRow(again));
    expect(await listed()).toBe(true);
    await again.close();
  });

  test('a log that lost its end, and one that took its place, have their own lists', async () => {
    const { name, store } = await storeWith(MANY);
    await store.runs();
    const end = valueOf(await store.head()).size;
    valueOf(await store.withDb((db) => db.delete('batches', IDBKeyRange.lowerBound(end - 10))));
    await expectTrue(store);
    store.forget();
    for (let n = 0; n < 12; n++) await grow(store, idOf(200 + n), 9_000 + n);
    await expectTrue(store);
    const batches = valueOf(await (await storeWith(MANY + 3)).store.log(0, 1_000));
    const pages = async (nth: number) => (nth === 0 ? { batches, tables: [] } : undefined);
    valueOf(await valueOf((await store.exchange?.(pages)) ?? fail()).commit());
    const again = valueOf(await openDatabaseStore(name));
    await expectTrue(again);
    expect(valueOf(await again.runs())).toHaveLength(MANY + 3);
    await again.close();
  });
});

function fail(): never {
  throw new Error('The store has no exchange.');
}
