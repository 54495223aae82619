import { refuse } from '../../../core/errors.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { Peers } from '../peer-channel.ts';
import type { LeaseTimes, SharedStore } from '../shared-store.ts';
import { EMPTY_LOG, type Pages } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { addBatches, encodeBatches } from './adding.ts';
import { makeAppends } from './append.ts';
import {
  deleteBatches,
  readBatches,
  readLastBatch,
  readLogBatches,
  readPayload,
  readRuns,
  readSnapshot,
  readUnread,
  replaceBatches,
} from './batches.ts';
import { flat, flushReadable, PgConnection, TABLES_LOCK } from './connection.ts';
import type { PgPool } from './driver.ts';
import { CLAIM_TIMES, CONTENT, PgLeases, readClaims } from './leases.ts';
import { altered } from './refusal.ts';
import { readRow, readRows, writeRows } from './rows.ts';
import { FORMS, migrationFrom, type TableForm } from './schema.ts';
import type { Query } from './session.ts';
import type { LogStore } from './state.ts';
import { KnownEnds, type LogWitness, openWitness } from './state.ts';
import { LOOK_TIMES, type LookTimes, PgHints, watchLog } from './watch.ts';

/** Where a store finds its log, and how long it waits. */
export interface PgStoreOptions {
  readonly pool: PgPool;
  /** Name of the log. */
  readonly log: string;
  /** File in which this process keeps the size and the root of the log. */
  readonly witness?: string | undefined;
  readonly times?: LeaseTimes;
  readonly looks?: LookTimes;
  readonly patienceMs?: number;
  /** Forms of the tables that this program knows. Default: those of this package. */
  readonly forms?: readonly TableForm[];
}

/**
 * Opens a log in a database, which several processes may have open, and makes it if it is absent. `store_damaged` where
 * a table is missing, `store_newer`, `store_denied`, `store_readonly`, `log_lost` where the witness has seen more.
 */
export async function openPostgresStore(options: PgStoreOptions): Promise<Outcome<SharedStore>> {
  const { pool, log: name, times = CLAIM_TIMES, looks = LOOK_TIMES, patienceMs, forms = FORMS } = options;
  const hints = PgHints.over(pool);
  // notifications arrive where a session is our own
  const connection = new PgConnection(pool, { patienceMs, version: forms.length, hasSessions: () => hints.isHeard });
  const log = await openLog(connection, name, forms);
  if (!log.ok) return log;
  const witness = openWitness(name, options.witness);
  const checked = flat(await connection.read((query) => checkWitness(query, log.value, witness)));
  if (!checked.ok) return checked;
  const leases = new PgLeases(connection, log.value, times);
  await leases.begin();
  const peers = watchLog(connection, log.value, leases, hints, looks);
  return pass(storeOver(pool, { connection, log: log.value, leases, witness, ends: new KnownEnds() }, peers));
}

function storeOver(pool: PgPool, parts: LogStore, peers: Peers): SharedStore {
  const { connection, log, leases, witness } = parts;
  const appends = makeAppends(pool, parts);
  /** A size or a root that is told outlives a crash of the server. */
  const told = async <T>(act: (query: Query) => Promise<T>): Promise<Outcome<T>> => {
    const read = await connection.read(async (query) => {
      const whole = await checkWitness(query, log, witness);
      if (!whole.ok) return whole;
      const answer = await act(query);
      await flushReadable(query);
      return pass(answer);
    });
    return flat(read);
  };
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    peers.close();
    await connection.drain();
    appends.close();
    await leases.close();
    connection.close();
    witness.close();
  };
  const exchange = async (pages: Pages): Promise<Outcome<void>> => {
    const done = await connection.changeOnce(log, async (query) => {
      if (await leases.isShared(query)) return refuse('store_busy', {});
      await deleteFrom(query, log, ['payload', 'row']);
      return restorePages(query, log, pages);
    });
    if (!done.ok) return done;
    witness.forget();
    await close();
    return pass(undefined);
  };
  return {
    kind: 'postgres',
    append: appends.append,
    read: (run_id, from = 0, most) => connection.read((query) => readBatches(query, log, run_id, from, most)),
    payload: (run_id, sha256, upTo) => connection.read((query) => readPayload(query, log, run_id, sha256, upTo)),
    runs: () => connection.read((query) => readRuns(query, log)),
    head: () =>
      told(async (query) => {
        const end = (await readLastBatch(query, log))?.after.log ?? EMPTY_LOG;
        return { size: end.size, root: rootOf(end) };
      }),
    unreadRows: () => connection.read((query) => readUnread(query, log)),
    snapshot: () => told((query) => readSnapshot(query, log)),
    put: (writes, durability) =>
      connection.change(log, durability, async (query) => {
        const fenced = await fenceRows(query, log, leases, writes);
        if (fenced.ok) await writeRows(query, log, writes);
        return fenced;
      }),
    get: (table, key) => connection.read((query) => readRow(query, log, table, key)),
    all: (table, after, most) => connection.read((query) => readRows(query, log, table, after, most)),
    replace: (batches) =>
      connection.change(log, 'strict', async (query) => {
        const fenced = await leases.fenceRuns(query, [...new Set(batches.map(({ run_id }) => run_id))]);
        if (fenced.ok) await replaceBatches(query, log, batches);
        return fenced;
      }),
    // a database keeps old versions of rows until it vacuums, and in its own log and copies
    tidy: async () => pass(undefined),
    log: (from, most) => connection.read((query) => readLogBatches(query, log, from, most)),
    restore: (pages) => connection.changeOnce(log, (query) => restorePages(query, log, pages)),
    // a transaction is the only place beside the log, so the pages are read behind the commit
    exchange: async (pages) => pass({ commit: () => exchange(pages), discard: async () => undefined }),
    async isShared() {
      const shared = await connection.once((query) => leases.isShared(query));
      return !shared.ok || shared.value;
    },
    async destroy() {
      const removed = await connection.change(log, 'strict', async (query) => {
        if (await leases.isShared(query)) return refuse('store_busy', {});
        await deleteFrom(query, log, ['payload', 'row', 'claim']);
        return pass(undefined);
      });
      if (!removed.ok) return removed;
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
  return leases.fenceContent((await readClaims(query, log, [CONTENT])).get(CONTENT));
}

/** Deletes the batches of a log, and its rows in these tables. */
async function deleteFrom(query: Query, log: number, tables: readonly string[]): Promise<void> {
  await deleteBatches(query, log);
  for (const table of tables) await query(`delete from sallyport.${table} where log = $1`, log);
}

async function restorePages(query: Query, log: number, pages: Pages): Promise<Outcome<void>> {
  let size = (await readLastBatch(query, log))?.after.log.size ?? 0;
  for (let nth = 0, page = await pages(nth); page !== undefined; page = await pages(++nth)) {
    const [first] = page.batches;
    if (first !== undefined && first.seq !== size) return refuse('head_moved', { expected: first.seq, found: size });
    size = page.batches.at(-1)?.after.log.size ?? size;
    await writeRows(query, log, page.tables);
    if (page.batches.length > 0) await addBatches(query, [{ log, encoded: encodeBatches(page.batches) }]);
  }
  return pass(undefined);
}

/**
 * Number of the log with this name. Makes the tables and the log where they are absent and the role may make them, and
 * brings older tables to the newest form.
 * `store_newer`, `store_damaged`, `store_denied`, `store_readonly`, `store_lost`
 */
async function openLog(connection: PgConnection, name: string, forms: readonly TableForm[]): Promise<Outcome<number>> {
  const made = await makeTables(connection, forms);
  if (!made.ok) return made;
  const found = await connection.read((query) => findLog(query, name));
  if (!found.ok || found.value !== undefined) return found as Outcome<number>;
  return connection.write(TABLES_LOCK, 'strict', (query) => makeLog(query, name));
}

async function makeTables(connection: PgConnection, forms: readonly TableForm[]): Promise<Outcome<number>> {
  const looked = flat(await connection.read((query) => lookAtTables(query, forms)));
  const isOlder = looked.ok ? looked.value < forms.length : looked.refusal.code === 'store_damaged';
  if (!isOlder) return looked;
  const done = await connection.write(TABLES_LOCK, 'strict', async (query) => {
    // another process may have been faster, and its half of the tables may have been seen
    const version = await lookAtTables(query, forms);
    if (version.ok) for (const sql of migrationFrom(version.value, forms)) await query(sql);
    return version;
  });
  return flat(done);
}

/**
 * Names of the tables of a schema. `to_regclass` would answer from the memory of the session, which waiting for an
 * advisory lock does not renew.
 */
const TABLES = `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1`;

/** Version of the tables; 0 without tables. `store_newer`, and `store_damaged` where a table of this version is missing. */
async function lookAtTables(query: Query, forms: readonly TableForm[]): Promise<Outcome<number>> {
  const found = new Set((await query(TABLES, 'sallyport')).map(({ relname }) => relname));
  if (forms.every(({ tables }) => tables.every((name) => !found.has(name)))) return pass(0);
  if (!found.has('version')) return altered('has no table sallyport.version');
  const [row] = await query('select max(version) as version from sallyport.version');
  const version = Number(row?.['version'] ?? Number.NaN);
  if (version > forms.length) return refuse('store_newer', {});
  const form = forms[version - 1];
  if (form === undefined) return altered('has no version');
  const missing = form.tables.find((name) => !found.has(name));
  return missing === undefined ? pass(version) : altered(`has no table sallyport.${missing}`);
}

async function findLog(query: Query, name: string): Promise<number | undefined> {
  const [row] = await query('select id from sallyport.log where name = $1', name);
  return row && Number(row['id']);
}

async function makeLog(query: Query, name: string): Promise<number> {
  await query('insert into sallyport.log (name) values ($1) on conflict (name) do nothing', name);
  return (await findLog(query, name)) as number;
}
