import type { IDBPDatabase } from 'idb';
import { BatchQueue } from '../../async.ts';
import type { SourceStore } from '../../ports.ts';
import { keepNewest } from './newest.ts';
import { openDatabase } from './open.ts';

/** Keys kept: the most recently accepted ones. A key takes a tenth of a kilobyte. */
const KEPT = 512;

/**
 * Keys of accepted sources in a database of their own. A source can be checked again, so they have no place in the
 * ledger, its mirror or its exports. If the database cannot be opened, none is kept.
 */
export function openSources(now: () => number, name = 'sallyport-sources'): SourceStore {
  let opened: Promise<IDBPDatabase> | undefined;
  const open = () => {
    opened ??= openDatabase(name, 1, {
      upgrade: (db) => void db.createObjectStore('sources').createIndex('at', 'at'),
      // closes the database for a tab that deletes it
      blocking: () => void opened?.then((db) => db.close()),
    });
    return opened;
  };
  const begin = async () => (await open()).transaction('sources', 'readwrite', { durability: 'relaxed' });
  /** Sources that are registered together are accepted together. */
  const adding = new BatchQueue<string, void>({
    sizeOf: (waiting) => waiting.length,
    work: async (keys) => {
      try {
        const tx = await begin();
        await Promise.all(keys.map(({ item }) => tx.store.put({ at: now() }, item)));
        await keepNewest(tx.store, KEPT);
        await tx.done;
        for (const { result } of keys) result.resolve();
      } catch (error) {
        for (const { result } of keys) result.reject(error);
      }
    },
  });
  return {
    keys: async () => (await (await open()).getAllKeys('sources')).map(String),
    add: (key) => adding.add(key),
    delete: async (key) => {
      const tx = await begin();
      await tx.store.delete(key);
      await tx.done;
    },
  };
}
