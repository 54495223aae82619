import { type DBSchema, type IDBPDatabase, type IDBPTransaction, unwrap } from 'idb';
import { refuse } from '../../../core/errors.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import type { BatchOrder } from '../journal/frame.ts';
import { ORIGIN } from '../origin.ts';
import { releaseRows } from '../rows.ts';
import { type Batch, type Durability, EMPTY_LOG, type LogHead } from '../store.ts';
import { TABLES, type TableName, type TableRow, type TableValue, type TableWrite } from '../tables.ts';
import { isDenied, openDatabase, removeDatabase } from './open-database.ts';

type TableStore = { key: string; value: TableValue };

interface LedgerSchema extends DBSchema, Record<TableName, TableStore> {
  batches: { key: number; value: Batch; indexes: { run: [run_id: string, run_seq: number] } };
  /** Order of the batches that were placed since the last note, by the place of the first of them. */
  order: { key: number; value: BatchOrder };
  /** For each private file, how far it is in the index; the marks below; and the kept list of runs. */
  offsets: { key: string; value: number | KeptRunList };
}
export type LedgerDb = IDBPDatabase<LedgerSchema>;
export type ReadTx = IDBPTransaction<LedgerSchema, ('batches' | 'offsets')[]>;
export type StoreName = 'batches' | 'order' | 'offsets' | TableName;
export type Writing = IDBPTransaction<LedgerSchema, StoreName[], 'readwrite'>;

/** Key in the offsets of the size up to which the order of the log is in a file. */
export const NOTED = 'noted';
/** Key in the offsets that is present while the files may lack content of the index. */
export const INCOMPLETE = 'incomplete';
/** Key in the offsets that is present while the index is filled page by page: the rows come behind the batches. */
export const FILLING = 'filling';
/** Key in the offsets that is present while a backup is restored. */
export const RESTORING = 'restoring';
/** Key in the offsets of the list of runs. It sorts behind the files and the marks, whose readers leave it out. */
export const RUNS = '~runs';

/** The rows of all runs, as the log had them when its last batch was that of key `last`. */
export interface KeptRunList {
  readonly last: number;
  /** Root of the log behind that batch. */
  readonly root: string;
  readonly rows: readonly RunRow[];
  /** The runs among them that are deleted: their rows stay in their last batches, too. */
  readonly gone: readonly string[];
  /** The runs among them whose deletion is recorded, and whose content was still there. */
  readonly leaving: readonly string[];
}

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
  /** Closes the connection for good: it would make a database anew that another tab has deleted. */
  end(): void;
}

export function connect(name: string): Connection {
  let current: Promise<Outcome<LedgerDb>> | undefined;
  let taken = 0;
  let isEnded = false;
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
      if (isEnded) return refuse('store_lost', { reason: 'closed' });
      current ??= open(name, onTaken);
      const opened = await current;
      // The obstacle (another tab, a full disk) may be gone at the next call.
      if (!opened.ok) current = undefined;
      return opened;
    },
    drop,
    end() {
      isEnded = true;
      drop();
    },
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
  if (isDenied(reason)) return refuse('store_absent', { reason: reason.message });
  switch (nameOf(reason)) {
    case 'QuotaExceededError':
      return refuse('store_full', {});
    case 'VersionError':
      return refuse('store_newer', {});
    default:
      return refuse('store_lost', { reason: nameOf(reason) });
  }
}

function nameOf(reason: unknown): string {
  return reason instanceof Error || reason instanceof DOMException ? reason.name : 'unknown';
}

/** Marks the failure of a request as handled: the transaction reports the same failure. */
export function handled<T>(request: Promise<T>): Promise<T> {
  request.catch(() => undefined);
  return request;
}

/** Begins to write in these stores. */
export function beginWriting(db: LedgerDb, stores: StoreName[], durability: Durability): Writing {
  const tx = db.transaction(stores, 'readwrite', { durability });
  // The caller awaits this failure; after a failed request there is no such await.
  tx.done.catch(() => undefined);
  return tx;
}

/** Ends of the log and of its runs: the facts that the next batches have to fit. */
export interface StoredEnds {
  readonly log: Frontier;
  readonly runs: ReadonlyMap<string, RunRow>;
}

/** Ends after the last write of this kernel. Valid as long as `last` is the last key of the log. */
export interface WrittenEnds extends StoredEnds {
  readonly last: number;
  readonly runs: Map<string, RunRow>;
}

/** Reads the ends of the log and of these runs, in the transaction that will extend them. An empty log has no `last`. */
export async function readEnds(
  tx: Writing,
  run_ids: ReadonlySet<string>,
): Promise<StoredEnds & { readonly last: number | undefined }> {
  const batches = tx.objectStore('batches');
  const [last, ...tails] = await Promise.all([
    batches.openCursor(null, 'prev'),
    ...[...run_ids].map((run_id) => batches.index('run').openCursor(placesOf(run_id, 0), 'prev')),
  ]);
  const runs = new Map(tails.flatMap((tail) => (tail ? [[tail.value.run_id, tail.value.after.run] as const] : [])));
  return { last: last?.key, log: last?.value.after.log ?? EMPTY_LOG, runs };
}

/** Tells whether the log ends at the key `last`. All keys from there on: a cursor would take longer than the write itself. */
export function checkEnd(tx: IDBTransaction, last: number, tell: (isEnd: boolean) => void): void {
  const asked = tx.objectStore('batches').getAllKeys(IDBKeyRange.lowerBound(last), 2);
  asked.onsuccess = () => tell(asked.result.length === 1 && asked.result[0] === last);
}

/** Range of all places of a run: arrays sort after numbers in IndexedDB. */
export function placesOf(run_id: string, from: number, to: number | [] = []): IDBKeyRange {
  return IDBKeyRange.bound([run_id, from], [run_id, to]);
}

/** The batches of a run from the batch with record `from` on. */
export async function readBatches(
  db: LedgerDb,
  run_id: string,
  from: number,
  most?: number,
): Promise<readonly Batch[]> {
  const index = batchesOf(db).index('run');
  // The batch with record `from` is the last batch that does not begin after it.
  const first = await index.openKeyCursor(placesOf(run_id, 0, from), 'prev');
  const start = first === null ? 0 : first.key[1];
  const batches = await index.getAll(placesOf(run_id, start), most);
  return batches.filter((batch) => batch.after.run.records > from);
}

/** Records that a search looks at, at first and at most, in one read: most payloads are asked for soon after they were written. */
const [SEARCHED, SEARCHED_MAX] = [32, 256];

/**
 * Finds a payload, which is stored with the first record that names it. Searches backwards from the batch of record
 * `upTo`, in pieces that double: a cursor would wait for the browser at each batch.
 */
export async function findPayload(
  db: LedgerDb,
  run_id: string,
  sha256: string,
  upTo?: number,
): Promise<Uint8Array | undefined> {
  const index = batchesOf(db).index('run');
  const last = await index.openKeyCursor(placesOf(run_id, 0, upTo), 'prev');
  // the batch of the record that was named has it, if it is the first that names it
  let length = upTo === undefined ? SEARCHED : 1;
  for (let to = last?.key[1] ?? -1; to >= 0; ) {
    const batches = await index.getAll(placesOf(run_id, Math.max(0, to - length + 1), to));
    const found = batches.flatMap(({ payloads }) => payloads).findLast((payload) => payload.sha256 === sha256);
    if (found !== undefined) return found.bytes;
    to -= length;
    length = Math.min(Math.max(SEARCHED, 2 * length), SEARCHED_MAX);
  }
  return undefined;
}

export async function readHead(db: LedgerDb): Promise<LogHead> {
  const last = await batchesOf(db).openCursor(null, 'prev');
  const { log } = last?.value.after ?? { log: EMPTY_LOG };
  return { size: log.size, root: rootOf(log) };
}

function batchesOf(db: LedgerDb) {
  return db.transaction('batches').store;
}

/** Rows in flight at a time: more would hold all their copies in memory and be no faster. */
const IN_FLIGHT = 128;

/** Starts to write rows in a transaction that has their tables; no row stays unless the transaction completes. */
export function startWrites(tx: Pick<Writing, 'objectStore'>, writes: readonly TableWrite[]): Promise<unknown>[] {
  return writes.map(({ table, key, value }) => {
    const store = tx.objectStore(table);
    return handled<unknown>(value === undefined ? store.delete(key) : store.put(value, key));
  });
}

/**
 * Writes many rows: requests without promises, which fail the transaction by themselves. The last request tells when
 * there is room for more. A request holds a copy of its row.
 */
async function putMany(tx: Pick<Writing, 'objectStore'>, writes: readonly TableWrite[]): Promise<void> {
  const rest = writes.slice(0, -1);
  for (const { table, key, value } of rest) {
    const store = unwrap(tx.objectStore(table));
    if (value === undefined) store.delete(key);
    else store.put(value, key);
  }
  const last = startWrites(tx, writes.slice(-1));
  releaseRows(writes);
  await Promise.all(last);
}

/** Writes all rows or none, in a single transaction. */
export async function writeRows(db: LedgerDb, writes: Iterable<TableWrite>, durability: Durability): Promise<void> {
  const tx = beginWriting(db, [...TABLES], durability);
  await orAbort(tx, async () => {
    let some: TableWrite[] = [];
    for (const row of writes) {
      if (some.push(row) < IN_FLIGHT) continue;
      await putMany(tx, some);
      some = [];
    }
    await putMany(tx, some);
    await tx.done;
  });
}

/**
 * Aborts the transaction if `work` throws. A value that cannot be cloned throws before its request exists, and the
 * other requests would commit.
 */
export async function orAbort<T>(tx: { abort(): void }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    try {
      tx.abort();
    } catch {
      // the transaction has ended by itself
    }
    throw reason;
  }
}

export async function readRows(db: LedgerDb, table: TableName, after?: string, most?: number): Promise<TableRow[]> {
  const { store } = db.transaction(table);
  const range = after === undefined ? undefined : IDBKeyRange.lowerBound(after, true);
  const [keys, values] = await Promise.all([store.getAllKeys(range, most), store.getAll(range, most)]);
  return values.map((value, nth) => [keys[nth] ?? '', value]);
}
