import { assert } from '../../../core/assert.ts';
import { BatchQueue } from '../../async.ts';
import { type Append, assertChained, type Durability } from '../store.ts';
import type { PgPool } from './driver.ts';
import { type Answer, carryOut, type LogWork, type WaitingAppend, type WaitingItem } from './group.ts';
import { encodeWrite } from './rows.ts';
import type { LogStore } from './state.ts';

/** Appends of a transaction: as many, and of so many bytes. */
const GROUP = 256;
const GROUP_BYTES = 4_194_304;

/** The append of a store, and the end of its use of the pool. */
export interface LogAppends {
  readonly append: (append: Append, durability: Durability) => Promise<Answer>;
  readonly close: () => void;
}

/** The append of a store over a pool: appends that wait at the same time share a transaction. */
export function makeAppends(pool: PgPool, store: LogStore): LogAppends {
  return PoolAppends.over(pool).enter(store);
}

/** Appends of a store that are carried out in transactions of their own. */
interface OwnAppends {
  readonly queue: BatchQueue<WaitingAppend, Answer>;
  /** Appends of the store in the shared queue, and in the transaction that is carried out from it. */
  shared: number;
}

/**
 * The appends of all stores over a pool. Stores share transactions, so that many logs cost about as much as one. A log
 * that another process has locked does not hold the other logs up: its appends go on in transactions of their own, which
 * wait for the lock. The appends of a store keep their order.
 */
class PoolAppends {
  static readonly #of = new WeakMap<PgPool, PoolAppends>();
  readonly #open = new Set<LogStore>();
  readonly #own = new WeakMap<LogStore, OwnAppends>();
  readonly #shared = new BatchQueue<WaitingAppend, Answer>({ sizeOf: groupSize, work: (items) => this.#share(items) });

  static over(pool: PgPool): PoolAppends {
    const known = PoolAppends.#of.get(pool) ?? new PoolAppends();
    PoolAppends.#of.set(pool, known);
    return known;
  }

  enter(store: LogStore): LogAppends {
    this.#open.add(store);
    this.#own.set(store, { queue: new BatchQueue({ sizeOf: groupSize, work: carryOutAlone }), shared: 0 });
    const append = async (wanted: Append, durability: Durability): Promise<Answer> => {
      assertChained(wanted);
      // a value that cannot be stored throws here
      const rows = (wanted.tables ?? []).map(encodeWrite);
      return store.connection.counted(this.#add({ store, append: wanted, rows, durability }));
    };
    return { append, close: () => void this.#open.delete(store) };
  }

  #add(item: WaitingAppend): Promise<Answer> {
    const own = this.#ownOf(item.store);
    const isAlone = own.queue.isBusy || this.#open.size < 2;
    // an append that is in the shared queue comes first
    if (isAlone && own.shared === 0) return own.queue.add(item);
    own.shared++;
    return this.#shared.add(item);
  }

  async #share(items: readonly WaitingItem[]): Promise<void> {
    const works = worksOf(items);
    const together = works.filter(({ store }) => !this.#ownOf(store).queue.isBusy);
    for (const work of works) if (!together.includes(work)) this.#move(work);
    for (const work of await carryOut(together, 'shared')) this.#move(work);
    for (const { store, items: done } of works) this.#ownOf(store).shared -= done.length;
  }

  #move({ store, items }: LogWork): void {
    const { queue } = this.#ownOf(store);
    for (const { item, result } of items) queue.add(item).then(result.resolve, result.reject);
  }

  #ownOf(store: LogStore): OwnAppends {
    const own = this.#own.get(store);
    assert(own !== undefined, 'a store enters before it appends');
    return own;
  }
}

async function carryOutAlone(items: readonly WaitingItem[]): Promise<void> {
  await carryOut(worksOf(items), 'own');
}

function worksOf(items: readonly WaitingItem[]): readonly LogWork[] {
  const works = new Map<LogStore, WaitingItem[]>();
  for (const waiting of items) {
    const { store } = waiting.item;
    const there = works.get(store);
    if (there === undefined) works.set(store, [waiting]);
    else there.push(waiting);
  }
  return [...works].map(([store, each]) => ({ store, items: each }));
}

/** A group ends before it is too large, and before a second store on one of its logs. */
function groupSize(waiting: readonly WaitingItem[]): number {
  const stores = new Map<number, LogStore>();
  let bytes = 0;
  for (const [nth, { item }] of waiting.entries()) {
    bytes += bytesOf(item);
    if (nth === GROUP || (nth > 0 && bytes > GROUP_BYTES)) return nth;
    if ((stores.get(item.store.log) ?? item.store) !== item.store) return nth;
    stores.set(item.store.log, item.store);
  }
  return waiting.length;
}

function bytesOf({ append: { records, payloads }, rows }: WaitingAppend): number {
  const texts = records.reduce((sum, { text }) => sum + text.length, 0);
  const bytes = payloads.reduce((sum, payload) => sum + payload.bytes.length, 0);
  return rows.reduce((sum, { key, frame }) => sum + key.length + (frame?.length ?? 0), texts + bytes);
}
