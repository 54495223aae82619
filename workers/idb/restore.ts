import type { Batch } from '../store.ts';
import { TABLES, type TableWrite } from '../tables.ts';
import type { LedgerDb } from './connection.ts';
import { met, wholly, written } from './tables.ts';

/** So many batches are on their way at once. */
const IN_FLIGHT = 256;

/** One transaction: whoever is stopped in the middle finds the log as it was, and begins again. */
export async function restoreAll(db: LedgerDb, batches: readonly Batch[], rows: readonly TableWrite[]): Promise<void> {
  const tx = db.transaction(['batches', ...TABLES], 'readwrite', { durability: 'strict' });
  tx.done.catch(() => undefined);
  await wholly(tx, async () => {
    const store = tx.objectStore('batches');
    for (let from = 0; from < batches.length; from += IN_FLIGHT) {
      await Promise.all(batches.slice(from, from + IN_FLIGHT).map((batch) => met(store.add(batch))));
    }
    for (let from = 0; from < rows.length; from += IN_FLIGHT) {
      await Promise.all(written(tx, rows.slice(from, from + IN_FLIGHT)));
    }
    await tx.done;
  });
}

/** The one way in which a batch is ever written again: with less in it, at the place where it stands. */
export async function replaceBatches(db: LedgerDb, batches: readonly Batch[]): Promise<void> {
  const tx = db.transaction('batches', 'readwrite', { durability: 'strict' });
  tx.done.catch(() => undefined);
  await Promise.all([...batches.map((batch) => met(tx.store.put(batch))), tx.done]);
}
