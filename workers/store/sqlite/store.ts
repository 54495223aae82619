import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { failure } from '../directory/file.ts';
import type { LeaseTimes, SharedStore } from '../shared-store.ts';
import { type EncodedRow, encodeWrite } from '../sql/frames.ts';
import { bytesOf } from '../sql/group.ts';
import {
  type Acknowledgement,
  type Append,
  acknowledge,
  assertChained,
  isThere,
  type LedgerStore,
  nextBatch,
} from '../store.ts';
import {
  addBatch,
  prepareExchange,
  readBatch,
  readBatches,
  readHead,
  readLog,
  readLogBatches,
  readPayload,
  readRow,
  readRows,
  readRun,
  readRuns,
  replaceBatch,
  restorePages,
  writeRow,
} from './batches.ts';
import type { SqlConnection } from './connection.ts';
import { refusalOf } from './connection.ts';
import { dropTables, isAlone, joinOthers, openForReading, openForWriting, removeFile, shrink } from './file.ts';
import { LEASE_TIMES, Leases, watchFile } from './leases.ts';

/**
 * Opens the ledger in a file of SQLite, which several processes may have open. The file and its folder are made if they
 * are absent. `strict` is flushed to the disk before the answer. `store_damaged` where the file is no ledger,
 * `store_newer`, `store_locked` where another process holds the whole file, `store_lost`. Throws `store_unsupported`.
 */
export function openSqliteStore(path: string, times: LeaseTimes = LEASE_TIMES): Outcome<SharedStore> {
  const connection = opened(() => openForWriting(path));
  return connection.ok ? pass(storeOver(path, connection.value, times)) : connection;
}

/** Opens the ledger in a file for reading only, as `openSqliteStore`: the file stays as it is. */
export function lookAtSqlite(path: string): Outcome<LedgerStore> {
  const connection = opened(() => openForReading(path));
  return connection.ok ? pass(storeOver(path, connection.value, LEASE_TIMES)) : connection;
}

/** An exception of the file system becomes a refusal. */
function opened(open: () => Outcome<SqlConnection>): Outcome<SqlConnection> {
  try {
    return open();
  } catch (error) {
    const { code, syscall } = Object(error) as { readonly code?: unknown; readonly syscall?: unknown };
    if (code === 'ERR_SQLITE_ERROR') return refusalOf(error);
    if (typeof syscall === 'string') return failure(error);
    throw error;
  }
}

function storeOver(path: string, connection: SqlConnection, times: LeaseTimes): SharedStore {
  const leases = new Leases(connection, times);
  const peers = watchFile(connection, leases);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    peers.close();
    leases.close();
    await connection.close();
  };
  return {
    kind: 'sqlite',
    async append(append, durability) {
      assertChained(append);
      // a value that cannot be stored throws here
      const rows = (append.tables ?? []).map(encodeWrite);
      const add = () => appendTo(connection, leases, append, rows);
      return flat(await connection.write(durability, add, bytesOf(append, rows)));
    },
    read: async (run_id, from = 0, most) => connection.read(() => readBatches(connection, run_id, from, most)),
    payload: async (run_id, sha256, upTo) => connection.read(() => readPayload(connection, run_id, sha256, upTo)),
    runs: async () => connection.read(() => readRuns(connection)),
    head: async () => connection.read(() => readHead(connection)),
    snapshot: async () => connection.read(() => ({ ...readHead(connection), runs: readRuns(connection) })),
    async put(writes, durability) {
      const written = await connection.write(durability, () => {
        const fenced = leases.fenceRows(writes);
        if (fenced.ok) for (const write of writes) writeRow(connection, encodeWrite(write));
        return fenced;
      });
      return flat(written);
    },
    get: async (table, key) => connection.read(() => readRow(connection, table, key)),
    all: async (table, after, most) => connection.read(() => readRows(connection, table, after, most)),
    async replace(batches) {
      const replaced = await connection.write('strict', () => {
        const fenced = leases.fenceRuns(batches.map(({ run_id }) => run_id));
        if (fenced.ok) for (const batch of batches) replaceBatch(connection, batch);
        return fenced;
      });
      return flat(replaced);
    },
    tidy: () => shrink(connection),
    log: async (from, most) => connection.read(() => readLogBatches(connection, from, most)),
    restore: (pages) => restorePages(connection, pages),
    async exchange(pages) {
      const prepared = await prepareExchange(connection, pages);
      if (!prepared.ok) return prepared;
      const commit = async (): Promise<Outcome<void>> => {
        const done = await prepared.value.commit();
        if (done.ok) await close();
        return done;
      };
      return pass({ ...prepared.value, commit });
    },
    async isShared() {
      const alone = await connection.alone(() => isAlone(connection));
      if (alone.ok && alone.value) await connection.alone(() => joinOthers(connection));
      return !(alone.ok && alone.value);
    },
    async destroy() {
      const removed = await connection.alone(() => removeAll(connection));
      if (!removed.ok) return removed;
      if (!removed.value) return refuse('store_busy', {});
      await close();
      removeFile(path);
      return pass(undefined);
    },
    claim: (run_id, signal) => leases.claim(run_id, signal),
    held: () => leases.held(),
    peers,
    exclusive: () => leases.exclusive(),
    close,
  };
}

function appendTo(
  connection: SqlConnection,
  leases: Leases,
  append: Append,
  rows: readonly EncodedRow[],
): Outcome<Acknowledgement> {
  const fenced = leases.fenceRun(append.run_id);
  if (!fenced.ok) return fenced;
  const { run_id, expected, tables = [] } = append;
  const batch = nextBatch(readLog(connection), readRun(connection, run_id), append);
  if (!batch.ok) {
    const there = readBatch(connection, run_id, expected.records);
    return there !== undefined && isThere(there, append) ? pass(acknowledge(there)) : batch;
  }
  const free = leases.fenceRows(tables);
  if (!free.ok) return free;
  addBatch(connection, batch.value);
  for (const row of rows) writeRow(connection, row);
  return pass(acknowledge(batch.value));
}

/** Removes every table where no other connection is open, so that a process that opens the file now finds no ledger. */
function removeAll(connection: SqlConnection): boolean {
  if (!isAlone(connection)) return false;
  dropTables(connection);
  return true;
}

function flat<T>(outcome: Outcome<Outcome<T>>): Outcome<T> {
  return outcome.ok ? outcome.value : outcome;
}
