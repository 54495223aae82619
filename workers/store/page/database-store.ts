import { unwrap, wrap } from 'idb';
import { refuse } from '../../../core/errors.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import {
  type Acknowledgement,
  type AfterCommit,
  type Append,
  acknowledge,
  assertChained,
  type Batch,
  type Durability,
  EMPTY_LOG,
  isThere,
  type LedgerStore,
  nextBatch,
  type Page,
  type Pages,
} from '../store.ts';
import { TABLES, type TableRow, type TableWrite } from '../tables.ts';
import {
  beginWriting,
  type Connection,
  checkEnd,
  connect,
  deleteDatabase,
  findPayload,
  handled,
  type LedgerDb,
  orAbort,
  RESTORING,
  readBatches,
  readEnds,
  readHead,
  readRows,
  refuseFor,
  type StoredEnds,
  type StoreName,
  startWrites,
  type Writing,
  type WrittenEnds,
  writeRows,
} from './database.ts';
import { RunList, readRun } from './run-list.ts';

/** Additional methods for the store in private files, which has its index in the same database. */
export interface DatabaseStore extends LedgerStore {
  run: NonNullable<LedgerStore['run']>;
  /** Changes when another tab or the browser took the database away. */
  readonly taken: number;
  frontier(): Promise<Outcome<Frontier>>;
  /** Forgets the size of a log that was lost. */
  forget(): void;
  /** Uses the database; repeated on a new connection where the first is dead. */
  withDb<T>(act: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>>;
}

/**
 * Opens the ledger in IndexedDB: `store_absent`, `store_blocked`, `store_newer`, `store_full` or `store_lost` where it
 * cannot. A connection that dies later is replaced at the next use. A log that became shorter is refused with
 * `log_lost`.
 */
export async function openDatabaseStore(
  name = 'sallyport',
  afterCommit?: AfterCommit,
): Promise<Outcome<DatabaseStore>> {
  const connection = connect(name);
  const opened = await connection.get();
  return opened.ok ? pass(storeOver(name, connection, afterCommit)) : opened;
}

function storeOver(name: string, connection: Connection, afterCommit: AfterCommit | undefined): DatabaseStore {
  const writer = new Writer(connection, afterCommit);
  const list = new RunList();
  const reading = <T>(read: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>> => withConnection(connection, read);
  const close = async (): Promise<void> => {
    await writer.idle();
    await list.idle();
    connection.end();
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
    runs: () => reading((db) => list.read(db)),
    run: (run_id) => reading((db) => readRun(db, run_id)),
    head: () => reading(readHead),
    snapshot: () => reading((db) => list.readAnew(db)),
    // a repetition on a new connection writes the same rows: the last value of each stays
    put: (writes, durability) => reading((db) => writeRows(db, writes, durability)),
    get: (table, key) => reading((db) => db.get(table, key)),
    all: (table, after?, most?) => reading((db): Promise<readonly TableRow[]> => readRows(db, table, after, most)),
    replace: (batches) => reading((db) => replaceBatches(db, batches)),
    tidy: async () => pass(undefined),
    frontier: () => reading(readFrontier),
    withDb: reading,
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
      await close();
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
async function withConnection<T>(connection: Connection, read: (db: LedgerDb) => Promise<T>): Promise<Outcome<T>> {
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

/** An append in the queue with its promise. */
interface QueuedAppend {
  readonly append: Append;
  readonly durability: Durability;
  readonly answer: (outcome: Outcome<Batch>) => void;
  readonly fail: (defect: unknown) => void;
}

/** Number of connections on which a group is tried before it is refused. */
const ATTEMPTS = 3;
/** Appends that share a commit. With 16, a flush to the disk costs each append a sixth. */
const GROUP = 16;

/**
 * The only writer of a store. Appends that arrive during a commit share the next commit: a lone append never waits for
 * company, and under load a single flush serves many. Appends swallowed by a dead connection are repeated.
 */
export class Writer {
  /** Greatest known size of the log: a shorter log has lost records. */
  private floor = 0;
  private readonly connection: Connection;
  private readonly afterCommit: AfterCommit | undefined;
  private readonly queue: QueuedAppend[] = [];
  private known: WrittenEnds | undefined;
  private working: Promise<void> | undefined;

  constructor(connection: Connection, afterCommit?: AfterCommit) {
    this.connection = connection;
    this.afterCommit = afterCommit;
  }

  append(append: Append, durability: Durability): Promise<Outcome<Batch>> {
    return new Promise((answer, fail) => {
      this.queue.push({ append, durability, answer, fail });
      this.working ??= this.work();
    });
  }

  forget(): void {
    this.floor = 0;
    this.known = undefined;
  }

  async idle(): Promise<void> {
    await this.working;
  }

  private async work(): Promise<void> {
    while (this.queue.length > 0) {
      const group = this.queue.splice(0, GROUP);
      const durability = group.some((one) => one.durability === 'strict') ? 'strict' : 'relaxed';
      await this.commit(
        group.map((one) => one.append),
        durability,
      ).then(
        (outcomes) => outcomes.forEach((outcome, index) => group[index]?.answer(outcome)),
        (defect: unknown) => group.forEach((one) => one.fail(defect)),
      );
    }
    this.working = undefined;
  }

  private async commit(group: readonly Append[], durability: Durability): Promise<readonly Outcome<Batch>[]> {
    const done = await this.write(group, durability);
    const committed = done.flatMap((batch, nth) =>
      batch.ok ? [{ batch: batch.value, tables: group[nth]?.tables ?? [] }] : [],
    );
    if (this.afterCommit === undefined || committed.length === 0) return done;
    const followed = await this.afterCommit(committed, durability);
    return followed.ok ? done : done.map((batch) => (batch.ok ? followed : batch));
  }

  private async write(group: readonly Append[], durability: Durability): Promise<readonly Outcome<Batch>[]> {
    for (let attempt = 1; ; attempt++) {
      const db = await this.connection.get();
      if (!db.ok) return group.map(() => db);
      const done = (await this.onKnown(db.value, group, durability)) ?? (await this.onLog(db.value, group, durability));
      const lost = done.some((one) => !one.ok && one.refusal.code === 'store_lost');
      if (!lost || attempt === ATTEMPTS) return done;
      this.connection.drop();
    }
  }

  /**
   * Quick way: adds batches to the ends of the last commit, with a request beside them that checks the end of the log.
   */
  private async onKnown(
    db: LedgerDb,
    group: readonly Append[],
    durability: Durability,
  ): Promise<Outcome<Batch>[] | undefined> {
    const { known } = this;
    const planned = known && planBatches(known, group);
    if (known === undefined || planned === undefined || !planned.every((batch) => batch.ok)) return undefined;
    this.known = undefined;
    try {
      await addBehind(known, db, group, planned, durability);
      this.keep(planned, known.runs);
      return planned;
    } catch {
      // Another writer was faster, or the connection died. Reading the log tells which.
      return undefined;
    }
  }

  /** Sure way: reads the ends of the log and of the runs in the transaction that extends them. */
  private async onLog(db: LedgerDb, group: readonly Append[], durability: Durability): Promise<Outcome<Batch>[]> {
    try {
      const tx = beginWriting(db, storesFor(group), durability);
      const [ends, there] = await Promise.all([
        readEnds(tx, new Set(group.map(({ run_id }) => run_id))),
        readThere(tx, group),
      ]);
      if (ends.log.size < this.floor) {
        tx.abort();
        return group.map(() => refuse('log_lost', { size: this.floor, found: ends.log.size }));
      }
      const planned = planBatches(ends, group, there);
      await orAbort(tx, () => Promise.all([...added(tx, group, planned, ends.log.size), tx.done]));
      this.keep(planned, new Map());
      return planned;
    } catch (reason) {
      return group.map(() => refuseFor(reason));
    }
  }

  private keep(planned: readonly Outcome<Batch>[], runs: Map<string, RunRow>): void {
    const batches = planned.flatMap((batch) => (batch.ok ? [batch.value] : []));
    for (const batch of batches) runs.set(batch.run_id, batch.after.run);
    const last = batches.reduce<Batch | undefined>(
      (one, other) => (one && one.seq > other.seq ? one : other),
      undefined,
    );
    if (last === undefined) return;
    this.floor = Math.max(this.floor, last.after.log.size);
    this.known = { last: last.seq, log: last.after.log, runs };
  }
}

/** Adds to a log that ends at the expected place; rejects without an addition where it does not. */
async function addBehind(
  known: WrittenEnds,
  db: LedgerDb,
  group: readonly Append[],
  planned: readonly Outcome<Batch>[],
  durability: Durability,
): Promise<void> {
  const tx = unwrap(db).transaction(storesFor(group), 'readwrite', { durability });
  const stray = await addAtOnce(tx, known.last, fresh(group, planned, known.log.size));
  if (stray === undefined) return;
  const { store, done } = db.transaction('batches', 'readwrite', { durability });
  await Promise.all([store.delete(stray.seq), done]);
  throw new Error('The log ends elsewhere.');
}

/**
 * Every step of a run waits for this function, so it uses bare requests without promises. A lone batch is committed
 * together with its request, not after its answer, which saves a round trip to the browser. Several requests are not
 * committed this way: if one request fails and the last succeeds, Firefox commits the remainder. Another writer that
 * was faster took the same key, so the add fails. A batch added to a log that was cut short is returned, so that the
 * caller removes it.
 */
function addAtOnce(tx: IDBTransaction, last: number, added: ReturnType<typeof fresh>): Promise<Batch | undefined> {
  return new Promise((resolve, reject) => {
    let [isBehind, landed] = [false, 0];
    const [[lone] = []] = added.length === 1 && added[0]?.[1].length === 0 ? added : [];
    const fail = (): void => reject(tx.error ?? new Error('The log ends elsewhere.'));
    tx.onabort = fail;
    tx.oncomplete = () => (landed < added.length ? fail() : resolve(isBehind ? undefined : lone));
    orAbort(tx, async () => {
      checkEnd(tx, last, (isEnd) => {
        isBehind = isEnd;
        if (!isEnd && lone === undefined) tx.abort();
      });
      for (const [batch, tables] of added) {
        tx.objectStore('batches').add(batch).onsuccess = () => landed++;
        if (tables.length > 0) void startWrites(wrap(tx) as unknown as Writing, tables);
      }
      if (lone !== undefined) tx.commit();
    }).catch(reject);
  });
}

/**
 * Adds the new batches of a plan to a log of this size, each batch only once. Batches that were already stored are
 * skipped.
 */
function added(
  tx: Writing,
  group: readonly Append[],
  planned: readonly Outcome<Batch>[],
  size: number,
): Promise<unknown>[] {
  return fresh(group, planned, size).flatMap(([batch, tables]) => [
    handled(tx.objectStore('batches').add(batch)),
    ...startWrites(tx, tables),
  ]);
}

function fresh(
  group: readonly Append[],
  planned: readonly Outcome<Batch>[],
  size: number,
): (readonly [Batch, readonly TableWrite[]])[] {
  const seen = new Set<Batch>();
  return planned.flatMap((batch, nth) => {
    if (!batch.ok || batch.value.seq < size || seen.has(batch.value)) return [];
    seen.add(batch.value);
    return [[batch.value, group[nth]?.tables ?? []] as const];
  });
}

/** Only an append with rows uses the tables, and so waits for their writers. */
function storesFor(group: readonly Append[]): StoreName[] {
  return group.some(({ tables = [] }) => tables.length > 0) ? ['batches', ...TABLES] : ['batches'];
}

/** Appends that were committed, but whose answer was lost with the connection. */
async function readThere(tx: Writing, group: readonly Append[]): Promise<ReadonlyMap<Append, Batch>> {
  const index = tx.objectStore('batches').index('run');
  const found = await Promise.all(group.map(({ run_id, expected }) => index.get([run_id, expected.records])));
  const there = group.flatMap((append, nth) => {
    const batch = found[nth];
    return batch !== undefined && isThere(batch, append) ? [[append, batch] as const] : [];
  });
  return new Map(there);
}

/**
 * Plans the batches of a group, each behind the batch before. A batch that does not fit is refused; the rest continues
 * without it.
 */
function planBatches(
  { log, runs }: StoredEnds,
  group: readonly Append[],
  there?: ReadonlyMap<Append, Batch>,
): Outcome<Batch>[] {
  let end = log;
  const fresh: Batch[] = [];
  return group.map((append) => {
    const landed = there?.get(append) ?? fresh.find((batch) => isThere(batch, append));
    if (landed !== undefined) return pass(landed);
    const row = fresh.findLast((batch) => batch.run_id === append.run_id)?.after.run ?? runs.get(append.run_id);
    const batch = nextBatch(end, row, append);
    if (batch.ok) {
      end = batch.value.after.log;
      fresh.push(batch.value);
    }
    return batch;
  });
}

/**
 * Writes all pages in a single transaction: a kernel stopped midway finds the log as it was, and the mark `RESTORING`.
 * With `anew` they replace all that is there. False, and nothing is written, where another batch has the place of one.
 */
async function restoreAll(db: LedgerDb, pages: Pages, how: 'behind' | 'anew'): Promise<boolean> {
  const tx = beginWriting(db, ['batches', 'order', 'offsets', ...TABLES], 'strict');
  const store = tx.objectStore('batches');
  /** A transaction without a pending request ends by itself. While a page is read, requests keep it open. */
  const meanwhile = async (reading: Promise<Page | undefined>): Promise<Page | undefined> => {
    const page = { isThere: false };
    const arrive = () => void (page.isThere = true);
    reading.then(arrive, arrive);
    while (!page.isThere) await store.getKey(0);
    return reading;
  };
  const written = orAbort(tx, async () => {
    if (how === 'anew')
      await Promise.all([...tx.objectStoreNames].map((name) => handled(tx.objectStore(name).clear())));
    await handled(tx.objectStore('offsets').delete(RESTORING));
    for (let nth = 0, page = await meanwhile(pages(nth)); page; page = await meanwhile(pages(++nth)))
      await Promise.all([...page.batches.map((batch) => handled(store.add(batch))), ...startWrites(tx, page.tables)]);
    await tx.done;
  });
  return written.then(
    () => true,
    (reason: unknown) => {
      if (reason instanceof DOMException && reason.name === 'ConstraintError') return false;
      throw reason;
    },
  );
}

/** Replaces batches in place by batches with less content. Stored batches change in no other way. */
async function replaceBatches(db: LedgerDb, batches: readonly Batch[]): Promise<void> {
  const tx = beginWriting(db, ['batches'], 'strict');
  const store = tx.objectStore('batches');
  await Promise.all([...batches.map((batch) => handled(store.put(batch))), tx.done]);
}
