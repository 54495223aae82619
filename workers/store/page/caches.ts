import type { IDBPDatabase, IDBPObjectStore } from 'idb';
import type { StoredImage } from '../../../sandbox/index.ts';
import { BatchQueue } from '../../async.ts';
import type { ImageStore, SourceStore } from '../../ports.ts';
import { openDatabase } from './open-database.ts';

/** Stored row of an image. */
interface ImageRow {
  readonly image: StoredImage;
  readonly at: number;
}

/** Images kept: the most recently built ones, a fifth of a megabyte each. */
const IMAGES_MAX = 32;

/**
 * Images in a database of their own. An image can be built again, so it has no place in the ledger, its mirror or its
 * exports. If the database cannot be opened, no image is kept, and no call waits for it.
 */
export function openImages(now: () => number, name = 'sallyport-images'): ImageStore {
  let opened: Promise<IDBPDatabase> | undefined;
  const open = () => {
    opened ??= openDatabase(name, 1, {
      upgrade: (db) => void db.createObjectStore('images').createIndex('at', 'at'),
      // closes the database for a tab that deletes it
      blocking: () => void opened?.then((db) => db.close()),
    });
    return opened;
  };
  return {
    get: async (hash) => ((await (await open()).get('images', hash)) as ImageRow | undefined)?.image,
    put: async (hash, image) => {
      const tx = (await open()).transaction('images', 'readwrite', { durability: 'relaxed' });
      const row: ImageRow = { image, at: now() };
      await tx.store.put(row, hash);
      await keepNewest(tx.store, IMAGES_MAX);
      await tx.done;
    },
  };
}

/** Keys kept: the most recently accepted ones. A key takes a tenth of a kilobyte. */
const SOURCES_MAX = 512;

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
        await keepNewest(tx.store, SOURCES_MAX);
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

/** Deletes the oldest rows of a store beyond a number. Its index `at` says when each row was written. */
async function keepNewest<S extends string>(
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
