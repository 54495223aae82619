import { type Outcome, pass } from '../../../core/outcome.ts';
import type { BatchItem } from '../../async.ts';
import { placeFrame } from '../journal/draft.ts';
import {
  type Acknowledgement,
  type Append,
  acknowledge,
  type BatchEnd,
  type Durability,
  EMPTY_LOG,
  isThere,
  placeBatch,
} from '../store.ts';
import type { EncodedBatch } from './adding.ts';
import { readBatch } from './batches.ts';
import { type Commit, LOCKS } from './connection.ts';
import { CONTENT } from './leases.ts';
import { Preparation } from './prepare.ts';
import { DatabaseFailure, isTaken, refusalOf, StaleEnds } from './refusal.ts';
import { type EncodedRow, writeEncoded } from './rows.ts';
import { Sending } from './sending.ts';
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
  /** Number of the transaction in the rows that it wrote. */
  readonly transaction: string;
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
