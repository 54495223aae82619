import { unwrap, wrap } from 'idb';
import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import type { AfterCommit, Append, Batch, Durability } from '../store.ts';
import { TABLES, type TableName, type TableWrite } from '../tables.ts';
import { type Connection, type LedgerDb, refuseFor } from './connection.ts';
import { handled } from './handled.ts';
import { type Heads, plan, readHeads, type Writing } from './heads.ts';
import { orAbort, startWrites } from './tables.ts';

/** Heads after the last commit of this writer. Valid as long as `last` is still the last key of the log. */
interface KnownHeads extends Heads {
  readonly last: number;
  readonly rows: Map<string, RunRow>;
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
  private view: KnownHeads | undefined;
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
    this.view = undefined;
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
      const done = (await this.onView(db.value, group, durability)) ?? (await this.onLog(db.value, group, durability));
      const lost = done.some((one) => !one.ok && one.refusal.code === 'store_lost');
      if (!lost || attempt === ATTEMPTS) return done;
      this.connection.drop();
    }
  }

  /**
   * Quick way: adds batches to the heads of the last commit, with a request beside them that checks the end of the log.
   */
  private async onView(
    db: LedgerDb,
    group: readonly Append[],
    durability: Durability,
  ): Promise<Outcome<Batch>[] | undefined> {
    const { view } = this;
    const planned = view && plan(view, group);
    if (view === undefined || planned === undefined || !planned.every((batch) => batch.ok)) return undefined;
    this.view = undefined;
    try {
      await addBehind(view, db, group, planned, durability);
      this.keep(planned, view.rows);
      return planned;
    } catch {
      // Another writer was faster, or the connection died. Reading the log tells which.
      return undefined;
    }
  }

  /** Sure way: reads the heads of the log and of the runs in the transaction that extends them. */
  private async onLog(db: LedgerDb, group: readonly Append[], durability: Durability): Promise<Outcome<Batch>[]> {
    try {
      const tx = begin(db, group, durability);
      const heads = await readHeads(tx, group);
      if (heads.log.size < this.floor) {
        tx.abort();
        return group.map(() => refuse('log_lost', { size: this.floor, found: heads.log.size }));
      }
      const planned = plan(heads, group);
      await orAbort(tx, () => Promise.all([...added(tx, group, planned, heads.log.size), tx.done]));
      this.keep(planned, new Map());
      return planned;
    } catch (reason) {
      return group.map(() => refuseFor(reason));
    }
  }

  private keep(planned: readonly Outcome<Batch>[], rows: Map<string, RunRow>): void {
    const batches = planned.flatMap((batch) => (batch.ok ? [batch.value] : []));
    for (const batch of batches) rows.set(batch.run_id, batch.after.run);
    const last = batches.reduce<Batch | undefined>(
      (one, other) => (one && one.seq > other.seq ? one : other),
      undefined,
    );
    if (last === undefined) return;
    this.floor = Math.max(this.floor, last.after.log.size);
    this.view = { last: last.seq, log: last.after.log, rows };
  }
}

/** Adds to a log that ends at the expected place; rejects without an addition where it does not. */
async function addBehind(
  view: KnownHeads,
  db: LedgerDb,
  group: readonly Append[],
  planned: readonly Outcome<Batch>[],
  durability: Durability,
): Promise<void> {
  const tx = unwrap(db).transaction(storesFor(group), 'readwrite', { durability });
  const stray = await addAtOnce(tx, view.last, fresh(group, planned, view.log.size));
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
      // all keys from `last` on: a cursor from the end would take longer than the write itself
      const asked = tx.objectStore('batches').getAllKeys(IDBKeyRange.lowerBound(last), 2);
      asked.onsuccess = () => {
        isBehind = asked.result.length === 1 && asked.result[0] === last;
        if (!isBehind && lone === undefined) tx.abort();
      };
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
function storesFor(group: readonly Append[]): ('batches' | TableName)[] {
  return group.some(({ tables = [] }) => tables.length > 0) ? ['batches', ...TABLES] : ['batches'];
}

function begin(db: LedgerDb, group: readonly Append[], durability: Durability): Writing {
  const tx = db.transaction(storesFor(group), 'readwrite', { durability });
  // The caller awaits this failure; after a failed request there is no such await.
  tx.done.catch(() => undefined);
  return tx;
}
