import { RESTORING } from '../mirror/log-index.ts';
import type { Batch, Page, Pages } from '../store.ts';
import { TABLES } from '../tables.ts';
import type { LedgerDb } from './connection.ts';
import { handled } from './handled.ts';
import type { Writing } from './heads.ts';
import { orAbort, startWrites } from './tables.ts';

/**
 * Writes all pages in a single transaction: a kernel stopped midway finds the log as it was, and the mark `RESTORING`.
 * With `anew` they replace all that is there. False, and nothing is written, where another batch has the place of one.
 */
export async function restoreAll(db: LedgerDb, pages: Pages, how: 'behind' | 'anew'): Promise<boolean> {
  const tx = db.transaction(['batches', 'order', 'offsets', ...TABLES], 'readwrite', { durability: 'strict' });
  tx.done.catch(() => undefined);
  const store = tx.objectStore('batches');
  /** A transaction without a pending request ends by itself. While a page is read, requests keep it open. */
  const meanwhile = async (reading: Promise<Page | undefined>): Promise<Page | undefined> => {
    const page = { isThere: false };
    const arrive = () => void (page.isThere = true);
    reading.then(arrive, arrive);
    while (!page.isThere) await store.getKey(0);
    return reading;
  };
  const written = orAbort(tx, async () => {
    if (how === 'anew')
      await Promise.all([...tx.objectStoreNames].map((name) => handled(tx.objectStore(name).clear())));
    await handled(tx.objectStore('offsets').delete(RESTORING));
    for (let nth = 0, page = await meanwhile(pages(nth)); page; page = await meanwhile(pages(++nth)))
      await Promise.all([
        ...page.batches.map((batch) => handled(store.add(batch))),
        ...startWrites(tx as unknown as Writing, page.tables),
      ]);
    await tx.done;
  });
  return written.then(
    () => true,
    (reason: unknown) => {
      if (reason instanceof DOMException && reason.name === 'ConstraintError') return false;
      throw reason;
    },
  );
}

/** Replaces batches in place by batches with less content. Stored batches change in no other way. */
export async function replaceBatches(db: LedgerDb, batches: readonly Batch[]): Promise<void> {
  const tx = db.transaction('batches', 'readwrite', { durability: 'strict' });
  tx.done.catch(() => undefined);
  await Promise.all([...batches.map((batch) => handled(tx.store.put(batch))), tx.done]);
}
