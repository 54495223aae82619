import type { DBSchema, IDBPDatabase } from 'idb';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { BatchOrder } from '../journal/frame.ts';
import { ORIGIN } from '../origin.ts';
import type { Batch } from '../store.ts';
import { TABLES, type TableName, type TableValue } from '../tables.ts';
import { openDatabase, removeDatabase } from './open.ts';

type TableStore = { key: string; value: TableValue };

export interface LedgerSchema extends DBSchema, Record<TableName, TableStore> {
  batches: { key: number; value: Batch; indexes: { run: [run_id: string, run_seq: number] } };
  /** Order of the batches that were placed since the last note, by the place of the first of them. */
  order: { key: number; value: BatchOrder };
  /** For each private file, how far it is in the index; and the marks in `place.ts`. */
  offsets: { key: string; value: number };
}
export type LedgerDb = IDBPDatabase<LedgerSchema>;

const VERSION = 1;
/**
 * A tab that holds an older version, or holds back a deletion, closes on `versionchange` within milliseconds. After
 * this time it never will. A cold start on a slow disk takes less.
 */
const PATIENCE_MS = 5_000;

/** A database connection that may die at any time; the next use opens another. */
export interface Connection {
  /**
   * Opens the database, or returns the open connection. `store_absent`, `store_blocked`, `store_newer`, `store_full`,
   * `store_lost`.
   */
  get(): Promise<Outcome<LedgerDb>>;
  /** Number of times the database was taken away: a tab deleted it or is about to, or the browser closed it. */
  readonly taken: number;
  /** Forgets a failed connection. WebKit keeps answering with the same dead connection if it is kept. */
  drop(): void;
}

export function connect(name: string): Connection {
  let current: Promise<Outcome<LedgerDb>> | undefined;
  let taken = 0;
  const drop = (): void => {
    const dropped = current;
    current = undefined;
    void dropped?.then((opened) => opened.ok && opened.value.close());
  };
  const onTaken = (): void => {
    taken++;
    drop();
  };
  return {
    get taken() {
      return taken;
    },
    async get(): Promise<Outcome<LedgerDb>> {
      current ??= open(name, onTaken);
      const opened = await current;
      // The obstacle (another tab, a full disk) may be gone at the next call.
      if (!opened.ok) current = undefined;
      return opened;
    },
    drop,
  };
}

function open(name: string, drop: () => void): Promise<Outcome<LedgerDb>> {
  if (ORIGIN.indexedDB === undefined) return Promise.resolve(refuse('store_absent', {}));
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      resolve(refuse('store_blocked', {}));
    }, PATIENCE_MS);
    const answer = (opened: Outcome<LedgerDb>): void => {
      clearTimeout(timer);
      // Opened after the time was up: this connection has no user and would hold back other tabs.
      if (late && opened.ok) opened.value.close();
      resolve(opened);
    };
    // Firefox throws at once where the user lets no site store data.
    const opening = async () =>
      openDatabase<LedgerSchema>(name, VERSION, {
        // the next version adds `if (from < 2) …` below
        upgrade: (db, from) => {
          if (from < 1) createStores(db);
        },
        // A newer version waits in another tab, and an open connection would block it for good.
        blocking: drop,
        terminated: drop,
      });
    opening().then(
      (db) => answer(pass(db)),
      (reason: unknown) => answer(refuseFor(reason)),
    );
  });
}

function createStores(db: LedgerDb): void {
  const batches = db.createObjectStore('batches', { keyPath: 'seq' });
  // Unique: of two writers that continue the same head of a run, the database refuses the second.
  batches.createIndex('run', ['run_id', 'run_seq'], { unique: true });
  for (const store of [...TABLES, 'order', 'offsets'] as const) db.createObjectStore(store);
}

/** Deletes the database. Other tabs close it on `versionchange`, and find it gone at their next write. */
export async function deleteDatabase(name: string): Promise<Outcome<void>> {
  try {
    await removeDatabase(name);
    return pass(undefined);
  } catch (reason) {
    return refuseFor(reason);
  }
}

/** Refusal for an exception of IndexedDB. The platform gives the name, this product the words. */
export function refuseFor(reason: unknown): ReturnType<typeof refuse> {
  switch (nameOf(reason)) {
    case 'QuotaExceededError':
      return refuse('store_full', {});
    case 'VersionError':
      return refuse('store_newer', {});
    case 'SecurityError':
      return refuse('store_absent', {});
    default:
      return refuse('store_lost', { reason: nameOf(reason) });
  }
}

function nameOf(reason: unknown): string {
  return reason instanceof Error || reason instanceof DOMException ? reason.name : 'unknown';
}
