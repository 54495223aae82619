import { refuse } from '../../../core/errors.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { SharedStore } from '../shared-store.ts';
import { EMPTY_LOG, type Pages } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { claimIn, makeAppend } from './append.ts';
import {
  addBatches,
  readBatches,
  readLastBatch,
  readLogBatches,
  readPayload,
  readRuns,
  readSnapshot,
  replaceBatches,
} from './batches.ts';
import { PgConnection, type Query } from './connection.ts';
import type { PgPool } from './driver.ts';
import { PgHints } from './hints.ts';
import { CLAIM_TIMES, type ClaimTimes, CONTENT, IS_CURRENT, PgLeases } from './leases.ts';
import { openLog } from './open.ts';
import { readRow, readRows, writeRows } from './rows.ts';
import { watchLog } from './watch.ts';
import { type LogWitness, openWitness } from './witness.ts';

/** Where a store finds its log, and how long it waits. */
export interface PgStoreOptions {
  readonly pool: PgPool;
  /** Name of the log. */
  readonly log: string;
  /** File in which this process keeps the size and the root of the log. */
  readonly witness?: string | undefined;
  readonly times?: ClaimTimes;
  readonly patienceMs?: number;
}

/**
 * Opens a log in a database, which several processes may have open, and makes it if it is absent. `store_damaged` where
 * a table is missing, `store_newer`, `store_denied`, `store_readonly`, `log_lost` where the witness has seen more.
 */
export async function openPostgresStore(options: PgStoreOptions): Promise<Outcome<SharedStore>> {
  const { pool, log: name, times = CLAIM_TIMES, patienceMs } = options;
  const hints = PgHints.over(pool);
  // notifications arrive where a session is our own
  const connection = new PgConnection(pool, { patienceMs, hasSessions: () => hints.isHeard });
  const log = await openLog(connection, name);
  if (!log.ok) return log;
  const witness = openWitness(name, options.witness);
  const checked = await connection.once((query) => checkWitness(query, log.value, witness));
  if (!checked.ok) return checked;
  if (!checked.value.ok) return checked.value;
  const leases = new PgLeases(connection, log.value, times);
  await leases.begin();
  return pass(storeOver(connection, log.value, leases, witness, hints));
}

function storeOver(
  connection: PgConnection,
  log: number,
  leases: PgLeases,
  witness: LogWitness,
  hints: PgHints,
): SharedStore {
  const peers = watchLog(connection, log, leases, hints);
  const append = makeAppend(connection, log, leases, witness);
  /** A size or a root that is told outlives a crash of the server. */
  const told = async <T>(act: (query: Query) => Promise<T>): Promise<Outcome<T>> => {
    const read = await connection.read(async (query) => {
      const whole = await checkWitness(query, log, witness);
      return whole.ok ? pass(await act(query)) : whole;
    });
    await connection.flush();
    return flat(read);
  };
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    peers.close();
    await connection.drain();
    await leases.close();
    connection.close();
    witness.close();
  };
  return {
    kind: 'postgres',
    append,
    read: (run_id, from = 0, most) => connection.read((query) => readBatches(query, log, run_id, from, most)),
    payload: (run_id, sha256, upTo) => connection.read((query) => readPayload(query, log, run_id, sha256, upTo)),
    runs: () => connection.read((query) => readRuns(query, log)),
    head: () =>
      told(async (query) => {
        const end = (await readLastBatch(query, log))?.after.log ?? EMPTY_LOG;
        return { size: end.size, root: rootOf(end) };
      }),
    snapshot: () => told((query) => readSnapshot(query, log)),
    async put(writes, durability) {
      const written = await connection.write(log, durability, async (query) => {
        const fenced = await fenceRows(query, log, leases, writes);
        if (fenced.ok) await writeRows(query, log, writes);
        return fenced;
      });
      return flat(written);
    },
    get: (table, key) => connection.read((query) => readRow(query, log, table, key)),
    all: (table, after, most) => connection.read((query) => readRows(query, log, table, after, most)),
    replace: (batches) => connection.write(log, 'strict', (query) => replaceBatches(query, log, batches)),
    // a database keeps old versions of rows until it vacuums, and in its own log and copies
    tidy: async () => pass(undefined),
    log: (from, most) => connection.read((query) => readLogBatches(query, log, from, most)),
    restore: async (pages) => flat(await connection.writeOnce(log, (query) => restorePages(query, log, pages))),
    async isShared() {
      const shared = await connection.once((query) => leases.isShared(query));
      return !shared.ok || shared.value;
    },
    async destroy() {
      const removed = await connection.write(log, 'strict', async (query) => {
        if (await leases.isShared(query)) return false;
        for (const table of ['batch', 'payload', 'row', 'claim'])
          await query(`delete from sallyport.${table} where log = $1`, log);
        return true;
      });
      if (!removed.ok) return removed;
      if (!removed.value) return refuse('store_busy', {});
      witness.forget();
      await close();
      return pass(undefined);
    },
    claim: (run_id, signal) => leases.claim(run_id, signal),
    held: () => leases.held(),
    peers,
    exclusive: () => leases.exclusive(),
    close,
  };
}

/** Compares the log with the size and root that this process has seen. */
async function checkWitness(query: Query, log: number, witness: LogWitness): Promise<Outcome<void>> {
  const { seen } = witness;
  if (seen === undefined) return pass(undefined);
  const end = (await readLastBatch(query, log))?.after.log ?? EMPTY_LOG;
  const atSeen = end.size === seen.size ? end : (await readLastBatch(query, log, seen.size))?.after.log;
  return witness.check(end, atSeen);
}

async function fenceRows(
  query: Query,
  log: number,
  leases: PgLeases,
  writes: Iterable<TableWrite>,
): Promise<Outcome<void>> {
  let isContent = false;
  for (const { table } of writes) isContent ||= table !== 'kept';
  if (!isContent) return pass(undefined);
  const sql = `select owner, epoch, ${IS_CURRENT} as current from sallyport.claim where log = $1 and name = $2`;
  const [row] = await query(sql, log, CONTENT);
  return leases.fenceContent(row && claimIn(row));
}

async function restorePages(query: Query, log: number, pages: Pages): Promise<Outcome<void>> {
  let size = (await readLastBatch(query, log))?.after.log.size ?? 0;
  for (let nth = 0, page = await pages(nth); page !== undefined; page = await pages(++nth)) {
    const [first] = page.batches;
    if (first !== undefined && first.seq !== size) return refuse('head_moved', { expected: first.seq, found: size });
    size = page.batches.at(-1)?.after.log.size ?? size;
    await writeRows(query, log, page.tables);
    if (page.batches.length > 0) await addBatches(query, log, page.batches);
  }
  return pass(undefined);
}

function flat<T>(outcome: Outcome<Outcome<T>>): Outcome<T> {
  return outcome.ok ? outcome.value : outcome;
}
