import { unwrap } from 'idb';
import { releaseRows } from '../rows.ts';
import type { Durability } from '../store.ts';
import { TABLES, type TableName, type TableRow, type TableWrite } from '../tables.ts';
import type { LedgerDb } from './connection.ts';
import { handled } from './handled.ts';
import type { Writing } from './heads.ts';

/** Rows in flight at a time: more would hold all their copies in memory and be no faster. */
const IN_FLIGHT = 128;

/** Starts to write rows in a transaction that has their tables; no row stays unless the transaction completes. */
export function startWrites(tx: Pick<Writing, 'objectStore'>, writes: readonly TableWrite[]): Promise<unknown>[] {
  return writes.map(({ table, key, value }) => {
    const store = tx.objectStore(table);
    return handled<unknown>(value === undefined ? store.delete(key) : store.put(value, key));
  });
}

/**
 * Writes many rows: requests without promises, which fail the transaction by themselves. The last request tells when
 * there is room for more. A request holds a copy of its row.
 */
async function putMany(tx: Pick<Writing, 'objectStore'>, writes: readonly TableWrite[]): Promise<void> {
  const rest = writes.slice(0, -1);
  for (const { table, key, value } of rest) {
    const store = unwrap(tx.objectStore(table));
    if (value === undefined) store.delete(key);
    else store.put(value, key);
  }
  const last = startWrites(tx, writes.slice(-1));
  releaseRows(writes);
  await Promise.all(last);
}

/** Writes all rows or none, in a single transaction. */
export async function writeRows(db: LedgerDb, writes: Iterable<TableWrite>, durability: Durability): Promise<void> {
  const stores: ('batches' | TableName)[] = [...TABLES];
  const tx = db.transaction(stores, 'readwrite', { durability });
  tx.done.catch(() => undefined);
  await orAbort(tx, async () => {
    let some: TableWrite[] = [];
    for (const row of writes) {
      if (some.push(row) < IN_FLIGHT) continue;
      await putMany(tx, some);
      some = [];
    }
    await putMany(tx, some);
    await tx.done;
  });
}

/**
 * Aborts the transaction if `work` throws. A value that cannot be cloned throws before its request exists, and the
 * other requests would commit.
 */
export async function orAbort<T>(tx: { abort(): void }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    try {
      tx.abort();
    } catch {
      // the transaction has ended by itself
    }
    throw reason;
  }
}

export async function readRows(db: LedgerDb, table: TableName, after?: string, most?: number): Promise<TableRow[]> {
  const { store } = db.transaction(table);
  const range = after === undefined ? undefined : IDBKeyRange.lowerBound(after, true);
  const [keys, values] = await Promise.all([store.getAllKeys(range, most), store.getAll(range, most)]);
  return values.map((value, nth) => [keys[nth] ?? '', value]);
}
