import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import type { CapabilityDefinition } from '../../../workers/api.ts';

/** The definitions that a person has added on this device. Each change is a write of its own, whichever tab makes it. */
export interface OwnCapabilities {
  /** Rejects where the browser gives no storage. */
  all(): Promise<readonly CapabilityDefinition[]>;
  /** Rejects where the definition does not fit. */
  put(definition: CapabilityDefinition): Promise<void>;
  remove(name: string): Promise<void>;
  removeAll(): Promise<void>;
}

const NAME = 'sallyport-own';

interface OwnSchema extends DBSchema {
  capabilities: { key: string; value: CapabilityDefinition };
}

/** The definitions in the database of this origin. The runtime refuses a stored value that is not a definition. */
export function ownCapabilities(): OwnCapabilities {
  return {
    all: () => use((db) => db.getAll('capabilities')),
    put: (definition) =>
      use(async (db) => {
        const tx = db.transaction('capabilities', 'readwrite', { durability: 'strict' });
        await Promise.all([tx.store.put(definition, definition.name), tx.done]);
      }),
    remove: (name) => use((db) => db.delete('capabilities', name)),
    removeAll: () => deleteDB(NAME),
  };
}

/** Opens the database for a single use: a connection that stays open would hold back its deletion. */
async function use<T>(act: (db: IDBPDatabase<OwnSchema>) => Promise<T>): Promise<T> {
  const db = await openDB<OwnSchema>(NAME, 1, {
    upgrade: (fresh) => void fresh.createObjectStore('capabilities'),
  });
  try {
    return await act(db);
  } finally {
    db.close();
  }
}
