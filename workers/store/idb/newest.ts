import type { IDBPObjectStore } from 'idb';

/** Deletes the oldest rows of a store beyond a number. Its index `at` says when each row was written. */
export async function keepNewest<S extends string>(
  store: IDBPObjectStore<unknown, [S], S, 'readwrite'>,
  kept: number,
): Promise<void> {
  const surplus = (await store.count()) - kept;
  let oldest = surplus > 0 ? await store.index('at').openKeyCursor() : null;
  for (let over = surplus; over > 0 && oldest !== null; over--) {
    await store.delete(oldest.primaryKey);
    oldest = await oldest.continue();
  }
}
