import { type Outcome, pass } from '../../../core/outcome.ts';
import type { BatchItem } from '../../async/batch-queue.ts';
import {
  type Acknowledgement,
  type Append,
  acknowledge,
  type Durability,
  EMPTY_LOG,
  isThere,
  nextPending,
  placeBatch,
} from '../store.ts';
import { type EncodedBatch, readBatch, withFrame } from './batches.ts';
import { LOCKS } from './connection.ts';
import type { BatchEnd } from './ends.ts';
import { CONTENT } from './leases.ts';
import { Preparation } from './prepare.ts';
import { DatabaseFailure, refusalOf } from './refusal.ts';
import { type EncodedRow, writeEncoded } from './rows.ts';
import { Sending } from './sending.ts';
import type { PgSession } from './session.ts';
import {
  type AskedLog,
  claimOn,
  type LogState,
  type LogStore,
  readState,
  rowsByLog,
  STATE,
  stateValues,
} from './state.ts';

/** An append that waits for its transaction. */
export interface WaitingAppend {
  readonly store: LogStore;
  readonly append: Append;
  readonly rows: readonly EncodedRow[];
  readonly durability: Durability;
}

export type Answer = Outcome<Acknowledgement>;
export type WaitingItem = BatchItem<WaitingAppend, Answer>;

/** The appends to a log that share a transaction. */
export interface LogWork {
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
}

/** `own` waits for the lock of a single log. `shared` leaves a log out that another process has locked. */
export type GroupLocks = 'own' | 'shared';

/**
 * Carries out appends in a transaction, and answers them. The answer of a log does not depend on another log. Returns
 * the logs that were locked elsewhere, and all logs where the server refused a shared transaction.
 */
export async function carryOut(works: readonly LogWork[], locks: GroupLocks): Promise<readonly LogWork[]> {
  const [first] = works;
  if (first === undefined) return [];
  const isStrict = works.some(({ items }) => items.some(({ item }) => item.durability === 'strict'));
  try {
    const act = (session: PgSession) => inTransaction(session, works, locks);
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

function answer({ work: { store, items }, answers, encoded, end }: LogDone): void {
  if (answers.ok) {
    store.witness.see(end);
    store.ends.add(encoded);
  }
  for (const [nth, { result }] of items.entries())
    result.resolve(answers.ok ? (answers.value[nth] as Answer) : answers);
}

async function inTransaction(
  session: PgSession,
  works: readonly LogWork[],
  locks: GroupLocks,
): Promise<readonly LogDone[]> {
  const logs = works.map(({ store }) => store.log);
  const asked = works.map(askedIn);
  const begun = session.begin(LOCK[locks](logs), STATE, stateValues(asked));
  // the server is busy with the locks, or another process has them
  const prepared = new Preparation();
  for (const { items } of works) prepared.ahead(items.map(({ item }) => item.append));
  const [locked, rows] = await begun;
  const found = rowsByLog(rows);
  const mine = new Set(locks === 'own' ? logs : locked.map(({ log }) => Number(log)));
  const version = Number(found.get(null)?.[0]?.['seq']);
  const sending = new Sending(session.query);
  const shared: Shared = { sending, prepared };
  const done: LogDone[] = [];
  try {
    for (const each of asked.filter(({ store }) => mine.has(store.log))) {
      const read = () => readState(each, version, found.get(each.store.log) ?? []);
      done.push(await placeAll(shared, each.work, read));
    }
    await sending.end();
  } catch (error) {
    await sending.stop();
    throw error;
  }
  for (const each of done) if (each.rows.length > 0) await writeEncoded(session.query, each.work.store.log, each.rows);
  return done;
}

function askedIn(work: LogWork): AskedLog & { readonly work: LogWork } {
  const { store, items } = work;
  return { work, store, run_ids: [...new Set(items.map(({ item }) => item.append.run_id))] };
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
}

/** Batches of a log, as the appends of a group are placed behind each other. */
interface Placing {
  readonly state: LogState;
  readonly runs: Map<string, BatchEnd>;
  last: BatchEnd | undefined;
  readonly encoded: EncodedBatch[];
  readonly rows: EncodedRow[];
}

async function placeAll(shared: Shared, work: LogWork, read: () => Outcome<LogState>): Promise<LogDone> {
  const { store, items } = work;
  const { sending } = shared;
  const refused = (answers: Outcome<never>): LogDone => ({ work, answers, encoded: [], rows: [], end: EMPTY_LOG });
  if (store.connection.ended !== undefined) return refused(store.connection.ended);
  try {
    const state = read();
    if (!state.ok) return refused(state);
    const placing: Placing = {
      state: state.value,
      runs: new Map(state.value.runs),
      last: state.value.last,
      encoded: [],
      rows: [],
    };
    const answers: Answer[] = [];
    for (const { item } of items) answers.push(await place(shared, placing, item));
    const { encoded, rows, last } = placing;
    return { work, answers: pass(answers), encoded, rows, end: last?.after.log ?? EMPTY_LOG };
  } catch (error) {
    // what was sent is taken back with the transaction
    if (error instanceof DatabaseFailure || sending.hasSent(store.log)) throw error;
    sending.drop(store.log);
    return refused(refusalOf(error));
  }
}

async function place(
  { sending, prepared }: Shared,
  placing: Placing,
  { store, append, rows }: WaitingAppend,
): Promise<Answer> {
  const { log, leases } = store;
  const { run_id, expected } = append;
  const fenced = leases.fenceRun(run_id, claimOn(placing.state, run_id));
  if (!fenced.ok) return fenced;
  const pending = nextPending(placing.runs.get(run_id)?.after.run, append);
  if (!pending.ok) {
    const inGroup = placing.encoded.find(({ batch: each }) => isThere(each, append));
    const there = inGroup?.batch ?? (await readBatch(sending.query, log, run_id, expected.records));
    return there !== undefined && isThere(there, append) ? pass(acknowledge(there)) : pending;
  }
  const isContent = rows.some(({ kind }) => kind !== 'kept');
  const content = isContent ? leases.fenceContent(placing.state.claims.get(CONTENT)) : fenced;
  if (!content.ok) return content;
  const { texts, leaves } = prepared.of(append);
  const batch = placeBatch(pending.value, placing.last?.after.log ?? EMPTY_LOG, leaves);
  placing.last = batch;
  placing.runs.set(run_id, batch);
  const encoded = withFrame(batch, texts);
  placing.encoded.push(encoded);
  placing.rows.push(...rows);
  await sending.add(log, encoded);
  return pass(acknowledge(batch));
}
