import type { IDBPTransaction } from 'idb';
import { type Frontier, type Outcome, pass } from '../../core/index.ts';
import type { RunRow } from '../api.ts';
import { type Append, type Batch, type Durability, EMPTY_LOG, isThere, nextBatch } from '../store.ts';
import { type Connection, type LedgerDb, type LedgerSchema, refuseFor } from './connection.ts';
import { placesOf } from './read.ts';

type Writing = IDBPTransaction<LedgerSchema, ['batches'], 'readwrite'>;

/** What the last commit of this writer left behind. It holds as long as `last` is still the log's last key. */
interface View {
  readonly last: number;
  readonly log: Frontier;
  readonly runs: Map<string, RunRow>;
}

/** A batch is tried on this many connections; what fails on all of them is not going to be written. */
const ATTEMPTS = 3;

/** The one writer of a store: takes its appends one after another, and replays what a dead connection swallowed. */
export class Writer {
  private readonly connection: Connection;
  private view: View | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection) {
    this.connection = connection;
  }

  append(append: Append, durability: Durability): Promise<Outcome<Batch>> {
    const turn = this.queue.then(() => this.write(append, durability));
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  async idle(): Promise<void> {
    await this.queue;
  }

  private async write(append: Append, durability: Durability): Promise<Outcome<Batch>> {
    for (let attempt = 1; ; attempt++) {
      const db = await this.connection.get();
      if (!db.ok) return db;
      const done = (await this.onView(db.value, append, durability)) ?? (await this.onLog(db.value, append, durability));
      if (done.ok || done.refusal.code !== 'store_lost' || attempt === ATTEMPTS) return done;
      this.connection.drop();
    }
  }

  /** The quick way: one `add` on the head this writer left, and beside it the question whether the log ends there. */
  private async onView(db: LedgerDb, append: Append, durability: Durability): Promise<Outcome<Batch> | undefined> {
    const { view } = this;
    if (view === undefined) return undefined;
    const batch = nextBatch(view.log, view.runs.get(append.run_id), append);
    if (!batch.ok) return undefined;
    this.view = undefined;
    try {
      const tx = begin(db, durability);
      const asked = tx.store.openKeyCursor(null, 'prev').then((end) => end?.key === view.last || tx.abort());
      await Promise.all([asked, tx.store.add(batch.value), tx.done]);
      return this.keep(batch.value, view);
    } catch {
      // Another writer was here, or the connection died: the log itself knows which.
      return undefined;
    }
  }

  /** The sure way: the log's head and the run's are read in the transaction that extends them. */
  private async onLog(db: LedgerDb, append: Append, durability: Durability): Promise<Outcome<Batch>> {
    try {
      const tx = begin(db, durability);
      const [last, tail] = await Promise.all([
        tx.store.openCursor(null, 'prev'),
        tx.store.index('run').openCursor(placesOf(append.run_id, 0), 'prev'),
      ]);
      // A commit whose answer was lost with its connection.
      if (tail !== null && isThere(tail.value, append)) return pass(tail.value);
      const batch = nextBatch(last?.value.after.log ?? EMPTY_LOG, tail?.value.after.run, append);
      if (!batch.ok) return batch;
      await Promise.all([tx.store.add(batch.value), tx.done]);
      return this.keep(batch.value, { runs: new Map() });
    } catch (reason) {
      return refuseFor(reason);
    }
  }

  private keep(batch: Batch, { runs }: Pick<View, 'runs'>): Outcome<Batch> {
    this.view = { last: batch.seq, log: batch.after.log, runs: runs.set(batch.run_id, batch.after.run) };
    return pass(batch);
  }
}

function begin(db: LedgerDb, durability: Durability): Writing {
  const tx = db.transaction('batches', 'readwrite', { durability });
  // Its failure is met where it is awaited; where a request failed first, nobody awaits it.
  tx.done.catch(() => undefined);
  return tx as unknown as Writing;
}
