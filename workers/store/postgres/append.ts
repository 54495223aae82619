import { assert } from '../../../core/assert.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { type BatchItem, BatchQueue } from '../../async.ts';
import { draftFrame, type FrameDraft, placeFrame } from '../journal/frame.ts';
import { type EncodedRow, encodeWrite } from '../sql/frames.ts';
import { bytesOf, groupSize } from '../sql/group.ts';
import {
  type Acknowledgement,
  type Append,
  acknowledge,
  assertChained,
  type BatchEnd,
  type Durability,
  EMPTY_LOG,
  hashesOf,
  isThere,
  leavesOf,
  nextPending,
  type PendingBatch,
  placeBatch,
} from '../store.ts';
import { type EncodedBatch, type EncodedPayloads, encodePayloads, Sending } from './adding.ts';
import { readBatch } from './batches.ts';
import { type Commit, LOCKS } from './connection.ts';
import type { PgPool } from './driver.ts';
import { CONTENT } from './leases.ts';
import { DatabaseFailure, isTaken, refusalOf, StaleEnds } from './refusal.ts';
import { writeEncoded } from './rows.ts';
import type { PgSession } from './session.ts';
import {
  type AskedLog,
  claimOn,
  type LogState,
  type LogStore,
  readOwn,
  readState,
  rowsByLog,
  STATE,
  stateValues,
} from './state.ts';

/** The append of a store, and the end of its use of the pool. */
interface LogAppends {
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
  readonly #shared = new BatchQueue<WaitingAppend, Answer>({ sizeOf, work: (items) => this.#share(items) });

  static over(pool: PgPool): PoolAppends {
    const known = PoolAppends.#of.get(pool) ?? new PoolAppends();
    PoolAppends.#of.set(pool, known);
    return known;
  }

  enter(store: LogStore): LogAppends {
    this.#open.add(store);
    this.#own.set(store, { queue: new BatchQueue({ sizeOf, work: carryOutAlone }), shared: 0 });
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
function sizeOf(waiting: readonly WaitingItem[]): number {
  return groupSize(sizesOf(waiting));
}

function* sizesOf(waiting: readonly WaitingItem[]): Generator<number> {
  const stores = new Map<number, LogStore>();
  for (const { item } of waiting) {
    const { store, append, rows } = item;
    if ((stores.get(store.log) ?? store) !== store) return;
    stores.set(store.log, store);
    yield bytesOf(append, rows);
  }
}

/** An append that waits for its transaction. */
interface WaitingAppend {
  readonly store: LogStore;
  readonly append: Append;
  readonly rows: readonly EncodedRow[];
  readonly durability: Durability;
}

type Answer = Outcome<Acknowledgement>;
type WaitingItem = BatchItem<WaitingAppend, Answer>;

/** The appends to a log that share a transaction. */
interface LogWork {
  readonly store: LogStore;
  readonly items: readonly WaitingItem[];
}

/** What a transaction did for a log. */
interface LogDone {
  readonly work: LogWork;
  readonly answers: Outcome<readonly Answer[]>;
  readonly encoded: readonly EncodedBatch[];
  readonly rows: readonly EncodedRow[];
  /** End of the log behind them. */
  readonly end: typeof EMPTY_LOG;
  /** Number of the transaction in the rows that it wrote. */
  readonly transaction: string;
}

/** `own` waits for the lock of a single log. `shared` leaves a log out that another process has locked. */
type GroupLocks = 'own' | 'shared';

/**
 * Carries out appends in a transaction, and answers them. The answer of a log does not depend on another log. Returns
 * the logs that were locked elsewhere, and all logs where the server refused a shared transaction.
 */
async function carryOut(works: readonly LogWork[], locks: GroupLocks): Promise<readonly LogWork[]> {
  const [first] = works;
  if (first === undefined) return [];
  const isStrict = works.some(({ items }) => items.some(({ item }) => item.durability === 'strict'));
  try {
    const act = (session: PgSession, commit: Commit) => inTransaction(session, commit, works, locks);
    const done = await first.store.connection.writeGroup(isStrict ? 'strict' : 'relaxed', act);
    if (!done.ok && locks === 'shared') return works;
    if (!done.ok) for (const { result } of first.items) result.resolve(done);
    if (done.ok) for (const each of done.value) answer(each);
    const carried = done.ok ? new Set(done.value.map(({ work }) => work)) : new Set(works);
    return works.filter((work) => !carried.has(work));
  } catch (error) {
    if (locks === 'shared') return works;
    for (const { result } of first.items) result.reject(error);
    return [];
  }
}

function answer({ work: { store, items }, answers, encoded, end, transaction }: LogDone): void {
  if (answers.ok) {
    store.witness.see(end);
    store.ends.add(encoded, transaction);
  }
  for (const [nth, { result }] of items.entries())
    result.resolve(answers.ok ? (answers.value[nth] as Answer) : answers);
}

async function inTransaction(
  session: PgSession,
  commit: Commit,
  works: readonly LogWork[],
  locks: GroupLocks,
): Promise<readonly LogDone[]> {
  const logs = works.map(({ store }) => store.log);
  const asked = works.map(askedIn);
  const begun = session.begin(LOCK[locks](logs), STATE, stateValues(asked));
  // the server is busy with the locks, or another process has them
  const prepared = new Preparation();
  for (const { work, known } of asked)
    prepared.ahead(
      work.items.map(({ item }) => item.append),
      known,
    );
  const [locked, rows] = await begun;
  const found = rowsByLog(rows);
  const mine = new Set(locks === 'own' ? logs : locked.map(({ log }) => Number(log)));
  const { version, transaction } = readOwn(found.get(null));
  const sending = new Sending(session.query);
  const shared: Shared = { sending, prepared, transaction };
  const done: LogDone[] = [];
  try {
    for (const each of asked.filter(({ store }) => mine.has(store.log))) {
      const read = () => readState(each, version, found.get(each.store.log) ?? []);
      done.push(await placeAll(shared, each.work, read));
    }
    for (const each of done)
      if (each.rows.length > 0) await writeEncoded(sending.query, each.work.store.log, each.rows);
    await commit(await sending.last());
  } catch (error) {
    await sending.stop();
    throw isTaken(error) ? afterTaken(asked, error) : error;
  }
  return done;
}

type AskedWork = AskedLog & { readonly work: LogWork };

function askedIn(work: LogWork): AskedWork {
  const { store, items } = work;
  const firsts = new Map<string, Append>();
  for (const { item } of items) if (!firsts.has(item.append.run_id)) firsts.set(item.append.run_id, item.append);
  const known = new Map<string, BatchEnd>();
  for (const { run_id, expected } of firsts.values()) {
    const end = store.ends.endBefore(run_id, expected);
    if (end !== undefined) known.set(run_id, end);
  }
  return { work, store, run_ids: [...firsts.keys()], known };
}

/**
 * Failure of a transaction that met a place which is taken. Where it relied on known ends, another store may have
 * appended to a run since: the next try looks the ends up. Without them a table is not whole.
 */
function afterTaken(asked: readonly AskedWork[], error: DatabaseFailure): DatabaseFailure {
  if (asked.every(({ known }) => known.size === 0)) return error;
  for (const { store } of asked) store.ends.forgetRuns();
  return new StaleEnds(error.cause);
}

const LOCK: { readonly [L in GroupLocks]: (logs: readonly number[]) => string } = {
  own: ([log]) => `select pg_advisory_xact_lock(${LOCKS}, ${log})`,
  shared: (logs) =>
    `select log from unnest('{${logs.join()}}'::integer[]) as l (log) where pg_try_advisory_xact_lock(${LOCKS}, log)`,
};

/** The parts of a transaction that all its logs use. */
interface Shared {
  readonly sending: Sending;
  readonly prepared: Preparation;
  readonly transaction: string;
}

/** Batches of a log, as the appends of a group are placed behind each other. */
interface Placing {
  readonly log: number;
  readonly state: LogState;
  readonly runs: Map<string, BatchEnd>;
  last: BatchEnd | undefined;
  readonly encoded: EncodedBatch[];
  readonly rows: EncodedRow[];
}

async function placeAll(shared: Shared, work: LogWork, read: () => Outcome<LogState>): Promise<LogDone> {
  const { store, items } = work;
  const { sending, transaction } = shared;
  const none = { encoded: [], rows: [], end: EMPTY_LOG };
  const refused = (answers: Outcome<never>): LogDone => ({ work, answers, transaction, ...none });
  if (store.connection.ended !== undefined) return refused(store.connection.ended);
  try {
    const state = read();
    if (!state.ok) return refused(state);
    const placing: Placing = {
      log: store.log,
      state: state.value,
      runs: new Map(state.value.runs),
      last: state.value.last,
      encoded: [],
      rows: [],
    };
    const answers: Answer[] = [];
    for (const { item } of items) {
      const placed = place(shared, placing, item);
      answers.push('refused' in placed ? await answerOfStored(shared, placing, item.append, placed.refused) : placed);
      if (sending.isDue) await sending.turn();
    }
    const { encoded, rows, last } = placing;
    return { work, answers: pass(answers), transaction, encoded, rows, end: last?.after.log ?? EMPTY_LOG };
  } catch (error) {
    // what was sent is taken back with the transaction
    if (error instanceof DatabaseFailure || sending.hasSent(store.log)) throw error;
    sending.drop(store.log);
    return refused(refusalOf(error));
  }
}

/** An append that does not follow the end of its run, and its refusal unless it was stored before. */
interface Unplaced {
  readonly refused: Outcome<never>;
}

/** Places an append, and answers it. */
function place({ sending, prepared }: Shared, placing: Placing, item: WaitingAppend): Answer | Unplaced {
  const { append, rows } = item;
  const { log, leases } = item.store;
  const { run_id } = append;
  const fenced = leases.fenceRun(run_id, claimOn(placing.state, run_id));
  if (!fenced.ok) return fenced;
  const ready = prepared.of(append, placing.runs.get(run_id)?.after.run);
  if (!ready.ok) return { refused: ready };
  const isContent = rows.some(({ kind }) => kind !== 'kept');
  const content = isContent ? leases.fenceContent(placing.state.claims.get(CONTENT)) : fenced;
  if (!content.ok) return content;
  const { pending, draft, leaves, payloads } = ready.value;
  const batch = placeBatch(pending, placing.last?.after.log ?? EMPTY_LOG, leaves);
  placing.last = batch;
  placing.runs.set(run_id, batch);
  const encoded = { batch, frame: placeFrame(draft, batch.seq, batch.after.log), payloads };
  placing.encoded.push(encoded);
  placing.rows.push(...rows);
  sending.add(log, encoded);
  return pass(acknowledge(batch));
}

/** Answer to an append that does not follow the end of its run: it may be a repeated append, whose batch is stored. */
async function answerOfStored(
  { sending }: Shared,
  placing: Placing,
  append: Append,
  refused: Outcome<never>,
): Promise<Answer> {
  const { run_id, expected } = append;
  const inGroup = placing.encoded.find(({ batch: each }) => isThere(each, append));
  const there = inGroup?.batch ?? (await readBatch(sending.query, placing.log, run_id, expected.records));
  return there !== undefined && isThere(there, append) ? pass(acknowledge(there)) : refused;
}

/** An append behind a run, without a place in the log. */
interface PreparedAppend {
  readonly pending: PendingBatch;
  readonly draft: FrameDraft;
  /** Leaves of the records in the tree of the log. */
  readonly leaves: Uint8Array;
  readonly payloads: EncodedPayloads;
}

/**
 * Prepares appends before the transaction has the locks of their logs, so that it holds them for less time. An append is
 * prepared again where its run ends elsewhere than was known.
 */
export class Preparation {
  /** Number for the next payloads. An append that is prepared again takes a new one. */
  #count = 0;
  readonly #prepared = new Map<Append, { readonly run: RunRow | undefined; readonly append: PreparedAppend }>();

  /** Prepares the appends to a log whose runs end at `known`, up to one that cannot be prepared, which `of` refuses. */
  ahead(appends: readonly Append[], known: ReadonlyMap<string, BatchEnd>): void {
    const runs = new Map<string, RunRow>();
    try {
      for (const append of appends) {
        const { run_id } = append;
        const prepared = this.of(append, runs.get(run_id) ?? known.get(run_id)?.after.run);
        if (prepared.ok) runs.set(run_id, prepared.value.pending.run);
      }
    } catch {
      // the placing of its log meets the error again, and answers it
    }
  }

  /** The append behind a run; undefined for a new run. The refusal of `nextPending`. Throws for a record whose hash is none. */
  of(append: Append, run: RunRow | undefined): Outcome<PreparedAppend> {
    const there = this.#prepared.get(append);
    if (there !== undefined && there.run === run) return pass(there.append);
    const pending = nextPending(run, append);
    if (!pending.ok) return pending;
    const prepared = {
      pending: pending.value,
      draft: draftFrame(pending.value),
      leaves: leavesOf(hashesOf(append)),
      payloads: encodePayloads(append.payloads, this.#count++),
    };
    this.#prepared.set(append, { run, append: prepared });
    return pass(prepared);
  }
}
