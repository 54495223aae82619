import { type Outcome, pass } from '../../core/index.ts';
import {
  type Acknowledgement,
  type AfterCommit,
  type Append,
  acknowledge,
  assertChained,
  type Batch,
  type Durability,
  type LedgerStore,
} from '../store.ts';
import type { TableRow } from '../tables.ts';
import { type Connection, connect, type LedgerDb, refuseFor } from './connection.ts';
import { findPayload, readBatches, readHead, readRuns } from './read.ts';
import { readRows, writeRows } from './tables.ts';
import { Writer } from './write.ts';

/**
 * The ledger in IndexedDB: `store_absent`, `store_blocked`, `store_newer`, `store_full` or `store_lost` if it cannot
 * be had. A connection that dies later is replaced by the next use.
 */
export async function openBrowserStore(name = 'sallyport', afterCommit?: AfterCommit): Promise<Outcome<LedgerStore>> {
  const connection = connect(name);
  const opened = await connection.get();
  return opened.ok ? pass(storeOver(connection, afterCommit)) : opened;
}

function storeOver(connection: Connection, afterCommit: AfterCommit | undefined): LedgerStore {
  const writer = new Writer(connection);
  const reading = <T>(read: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>> => withDb(connection, read);
  return {
    kind: 'indexeddb',
    async append(append: Append, durability: Durability): Promise<Outcome<Acknowledgement>> {
      assertChained(append);
      const batch = await writer.append(append, durability);
      if (!batch.ok) return batch;
      await afterCommit?.(batch.value, durability);
      return pass(acknowledge(batch.value));
    },
    read: (run_id, from = 0, most?) => reading((db): Promise<readonly Batch[]> => readBatches(db, run_id, from, most)),
    payload: (run_id, sha256, upTo?) => reading((db) => findPayload(db, run_id, sha256, upTo)),
    runs: () => reading(readRuns),
    head: () => reading(readHead),
    // written again on a new connection it is the same rows: the last value of each stays
    put: (writes, durability) => reading((db) => writeRows(db, writes, durability)),
    get: (table, key) => reading((db) => db.get(table, key)),
    all: (table, after?, most?) => reading((db): Promise<readonly TableRow[]> => readRows(db, table, after, most)),
    async close(): Promise<void> {
      await writer.idle();
      connection.drop();
    },
  };
}

/** Reads once more on a new connection if the first one turns out to be dead. */
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
