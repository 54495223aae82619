import { refuse } from '../../../core/errors.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import {
  type Acknowledgement,
  type AfterCommit,
  type Append,
  acknowledge,
  assertChained,
  type Batch,
  type Durability,
  EMPTY_LOG,
  type LedgerStore,
  type Pages,
} from '../store.ts';
import type { TableRow } from '../tables.ts';
import { type Connection, connect, deleteDatabase, type LedgerDb, refuseFor } from './connection.ts';
import { findPayload, readBatches, readHead, readRuns, readSnapshot } from './read.ts';
import { replaceBatches, restoreAll } from './restore.ts';
import { readRows, writeRows } from './tables.ts';
import { Writer } from './write.ts';

/** Additional methods for the store in private files, which has its index in the same database. */
export interface BrowserStore extends LedgerStore {
  /** Changes when another tab or the browser took the database away. */
  readonly taken: number;
  frontier(): Promise<Outcome<Frontier>>;
  /** Forgets the size of a log that was lost. */
  forget(): void;
  /** Uses the database; repeated on a new connection where the first is dead. */
  use<T>(act: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>>;
}

/**
 * Opens the ledger in IndexedDB: `store_absent`, `store_blocked`, `store_newer`, `store_full` or `store_lost` where it
 * cannot. A connection that dies later is replaced at the next use. A log that became shorter is refused with
 * `log_lost`.
 */
export async function openBrowserStore(name = 'sallyport', afterCommit?: AfterCommit): Promise<Outcome<BrowserStore>> {
  const connection = connect(name);
  const opened = await connection.get();
  return opened.ok ? pass(storeOver(name, connection, afterCommit)) : opened;
}

function storeOver(name: string, connection: Connection, afterCommit: AfterCommit | undefined): BrowserStore {
  const writer = new Writer(connection, afterCommit);
  const reading = <T>(read: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>> => withDb(connection, read);
  const close = async (): Promise<void> => {
    await writer.idle();
    connection.drop();
  };
  const exchange = async (pages: Pages): Promise<Outcome<void>> => {
    await writer.idle();
    const done = await reading((db) => restoreAll(db, pages, 'anew'));
    if (!done.ok) return done;
    await close();
    return pass(undefined);
  };
  return {
    kind: 'indexeddb',
    get taken() {
      return connection.taken;
    },
    async append(append: Append, durability: Durability): Promise<Outcome<Acknowledgement>> {
      assertChained(append);
      const batch = await writer.append(append, durability);
      return batch.ok ? pass(acknowledge(batch.value)) : batch;
    },
    read: (run_id, from = 0, most?) => reading((db): Promise<readonly Batch[]> => readBatches(db, run_id, from, most)),
    payload: (run_id, sha256, upTo?) => reading((db) => findPayload(db, run_id, sha256, upTo)),
    runs: () => reading(readRuns),
    head: () => reading(readHead),
    snapshot: () => reading(readSnapshot),
    // a repetition on a new connection writes the same rows: the last value of each stays
    put: (writes, durability) => reading((db) => writeRows(db, writes, durability)),
    get: (table, key) => reading((db) => db.get(table, key)),
    all: (table, after?, most?) => reading((db): Promise<readonly TableRow[]> => readRows(db, table, after, most)),
    replace: (batches) => reading((db) => replaceBatches(db, batches)),
    tidy: async () => pass(undefined),
    frontier: () => reading(readFrontier),
    use: reading,
    forget: () => writer.forget(),
    async restore(pages) {
      writer.forget();
      const restored = await reading((db) => restoreAll(db, pages, 'behind'));
      if (!restored.ok || restored.value) return restored.ok ? pass(undefined) : restored;
      const now = await reading(readHead);
      return now.ok ? refuse('head_moved', { expected: 0, found: now.value.size }) : now;
    },
    // a transaction is the only place beside the log, so the pages are read behind the commit
    exchange: async (pages) => pass({ commit: () => exchange(pages), discard: async () => undefined }),
    log: (from, most) =>
      reading((db): Promise<readonly Batch[]> => db.getAll('batches', IDBKeyRange.lowerBound(from), most)),
    async destroy() {
      await writer.idle();
      connection.drop();
      return deleteDatabase(name);
    },
    close,
  };
}

async function readFrontier(db: LedgerDb): Promise<Frontier> {
  const last = await db.transaction('batches').store.openCursor(null, 'prev');
  return last?.value.after.log ?? EMPTY_LOG;
}

/** Repeats a read on a new connection if the first connection is dead. */
async function withDb<T>(connection: Connection, read: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>> {
  const first = await readWith(connection, read);
  return first.ok || first.refusal.code !== 'store_lost' ? first : readWith(connection, read);
}

async function readWith<T>(connection: Connection, read: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>> {
  const db = await connection.get();
  if (!db.ok) return db;
  try {
    return pass(await read(db.value));
  } catch (reason) {
    connection.drop();
    return refuseFor(reason);
  }
}
