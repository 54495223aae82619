import type { IDBPDatabase } from 'idb';
import type { StoredImage } from '../../../sandbox/index.ts';
import type { ImageStore } from '../../ports.ts';
import { keepNewest } from './newest.ts';
import { openDatabase } from './open.ts';

/** Stored row of an image. */
interface Row {
  readonly image: StoredImage;
  readonly at: number;
}

/** Images kept: the most recently built ones, a fifth of a megabyte each. */
const KEPT = 32;

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
    get: async (hash) => ((await (await open()).get('images', hash)) as Row | undefined)?.image,
    put: async (hash, image) => {
      const tx = (await open()).transaction('images', 'readwrite', { durability: 'relaxed' });
      const row: Row = { image, at: now() };
      await tx.store.put(row, hash);
      await keepNewest(tx.store, KEPT);
      await tx.done;
    },
  };
}
