import { assert, Defect } from '../../core/assert.ts';
import { refuse } from '../../core/errors.ts';
import { hashBytes, hashLeaf } from '../../core/hash.ts';
import { headAfter, type Link, NO_RECORDS, type RunHead } from '../../core/ledger/chain.ts';
import { emptyFrontier, type Frontier, pushLeaves, rootOf } from '../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { RunRow } from '../api.ts';
import type { OpenScratch } from './scratch.ts';
import type { TableName, TableRow, TableValue, TableWrite } from './tables.ts';

/** `strict` asks for a flush to the disk before the answer: for records before or after an effect. */
export type Durability = 'strict' | 'relaxed';

/** Bytes that records name, stored with the first record that names them. */
export interface StoredPayload {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** A request to extend a run: one or more links, and the head of the run as the writer knows it. */
export interface Append {
  readonly run_id: string;
  readonly expected: RunHead;
  readonly records: readonly Link[];
  readonly payloads: readonly StoredPayload[];
  /** Committed with the records: both or neither. A repeated append does not write them again. */
  readonly tables?: readonly TableWrite[];
}

/** Contents of a batch: they do not depend on its place in the log. */
interface BatchContents {
  readonly run_id: string;
  /** Place of its first record in the run. */
  readonly run_seq: number;
  /** Canonical texts of the records, as hashed. */
  readonly records: readonly string[];
  /** Hashes of the removed records, where the run was deleted: the log's tree still needs them. */
  readonly gone?: readonly string[];
  readonly payloads: readonly StoredPayload[];
  /** Rows were committed with the batch; the batch does not contain them. */
  readonly rows?: true;
}

/** Unit of storage: each commit adds a single batch, which never changes. */
export interface Batch extends BatchContents {
  /** Place of its first record in the log. It is the key, so that two writers can never both take it. */
  readonly seq: number;
  readonly after: After;
}

/** The end of a run or of the log: what the next batch follows. */
export type BatchEnd = Pick<Batch, 'seq' | 'run_id' | 'run_seq' | 'after'>;

/** A batch that is stored in a file, and has no place in the log yet. */
export interface PendingBatch extends BatchContents {
  /** Row of the run after this batch. */
  readonly run: RunRow;
}

/** State after a batch. The last batch of the log is the head of the log, the last batch of a run its head. */
export interface After {
  readonly log: Frontier;
  readonly run: RunRow;
}

export interface Acknowledgement {
  readonly seq: number;
  readonly size: number;
  readonly root: Uint8Array;
}

export interface LogHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Rows in the table of batches that are no batches: a program other than ours has written them. */
export interface UnreadRows {
  /** The first of them, by the place in the log that each of them claims. */
  readonly places: readonly { readonly place: number; readonly bytes: number }[];
  /** Number of all of them. */
  readonly count: number;
}

/** Most places that `unreadRows` names. */
export const UNREAD_ROWS_MAX = 100;

/** A log and its runs at a single moment. */
export interface LogSnapshot extends LogHead {
  readonly runs: readonly RunRow[];
}

/**
 * The ledger's port: a single append-only log of the records of many runs. Any number of stores may have the same log
 * open. An append with an old head is refused, so the log never forks. After `append` has answered, no record is lost,
 * within the promise of the requested durability.
 */
export interface LedgerStore {
  readonly kind: string;
  /**
   * Appends all records, payloads and table rows, or none. `head_moved`, `run_sealed`, `run_foreign`, `store_full`,
   * `store_lost`. A store that gives places in the log later acknowledges without a place.
   */
  append(append: Append, durability: Durability): Promise<Outcome<Acknowledgement | undefined>>;
  /** The batches of a run, in order, from the batch with record `from` on, at most `most`. */
  read(run_id: string, from?: number, most?: number): Promise<Outcome<readonly Batch[]>>;
  /**
   * Finds a payload, searching backwards from the batch of record `upTo`: fast for a caller that knows the naming
   * record.
   */
  payload(run_id: string, sha256: string, upTo?: number): Promise<Outcome<Uint8Array | undefined>>;
  /** All runs, the youngest first. */
  runs(): Promise<Outcome<readonly RunRow[]>>;
  /**
   * The row of a run as its last batch has it; undefined without such a run. Present in a store whose `runs` may come
   * from a list that it keeps: a program that writes to that list could hide a run, and a deletion must find it.
   */
  run?(run_id: string): Promise<Outcome<RunRow | undefined>>;
  head(): Promise<Outcome<LogHead>>;
  /** Bytes behind the log that could not be read, in a store that was opened to be looked at; absent: none. */
  readonly unreadBytes?: number;
  /** Rows beside the log that are no part of any. Absent in a store that takes none. */
  unreadRows?(): Promise<Outcome<UnreadRows>>;
  /** Head and runs, with no write between. */
  snapshot(): Promise<Outcome<LogSnapshot>>;
  /**
   * Writes rows that belong to no record: all rows or none. The store iterates them more than once; they need not be in
   * memory together. `store_full`, `store_lost`.
   */
  put(writes: Iterable<TableWrite>, durability: Durability): Promise<Outcome<void>>;
  /** Temporary space for rows that wait for `put`; absent for a store in memory. */
  readonly scratch?: OpenScratch;
  get(table: TableName, key: string): Promise<Outcome<TableValue | undefined>>;
  /** The rows of a table by key, after the key `after`, at most `most`. */
  all(table: TableName, after?: string, most?: number): Promise<Outcome<readonly TableRow[]>>;
  /**
   * Replaces batches by their remainders after an erasure; the hashes stay. The log records the deletion of a run first.
   * `store_full`, `store_lost`.
   */
  replace(batches: readonly Batch[]): Promise<Outcome<void>>;
  /** The batches of the log, of all runs, from place `from` on, at most `most`. */
  log(from: number, most: number): Promise<Outcome<readonly Batch[]>>;
  /**
   * Erases the removed content of this run and superseded row values from every copy of this store before it answers. A
   * copy that another tab is writing is rewritten when only a single tab is left. `store_full`, `mirror_lost`.
   */
  tidy(run_id?: string): Promise<Outcome<void>>;
  /** Number of copies that other tabs are writing, and that still hold erased content. Absent: there are no such copies. */
  staleCopies?(): Promise<number>;
  /**
   * Appends batches to the log as they once were, with rows. The caller has verified them. All or none; a directory
   * without room keeps a beginning, behind which the remainder can be appended.
   */
  restore(pages: Pages): Promise<Outcome<void>>;
  /**
   * Prepares to replace the whole log and all rows by these pages, which the caller has verified. What the store holds
   * stays until `commit`. An exception of `pages` is thrown, and leaves nothing behind. Absent in a store that cannot.
   */
  exchange?(pages: Pages): Promise<Outcome<Exchange>>;
  /**
   * Makes what other kernels have acknowledged readable. The caller has just taken the lock of `run_id` or of the
   * content. Absent where an acknowledgement comes behind the index.
   */
  gather?(run_id?: string): Promise<Outcome<void>>;
  /** Makes what this kernel has acknowledged readable for other kernels. The caller is about to release a lock. */
  fill?(): Promise<Outcome<void>>;
  /** As `fill`, without hurry. */
  placed?(): Promise<void>;
  /** True if another process or tab has the store open. Absent for stores that cannot be shared. */
  isShared?(): Promise<boolean>;
  /** Deletes the whole store and closes it. `store_busy` where another tab or store has it open. */
  destroy(): Promise<Outcome<void>>;
  close(): Promise<void>;
}

/** Contents that are ready to take the place of a log. The caller calls one of these, once. */
export interface Exchange {
  /**
   * Replaces the log and the rows, all or none, and closes the store. Stopped at any point, the next opening finds one
   * of the two logs whole. `store_busy` where another tab or store has it open; then the log stays.
   */
  commit(): Promise<Outcome<void>>;
  discard(): Promise<void>;
}

/** Part of a log that is in memory at a time, in the log's order, and rows beside it. */
export interface Page {
  readonly batches: readonly Batch[];
  readonly tables: readonly TableWrite[];
}

/**
 * Source of pages: called with 0, 1, 2 and so on until it returns undefined, and then again from 0 for the same pages.
 */
export type Pages = (nth: number) => Promise<Page | undefined>;

/** A committed batch, and the rows committed with it. */
interface CommittedBatch {
  readonly batch: Batch;
  readonly tables: readonly TableWrite[];
}

/** Work after a commit: the mirror. A batch is acknowledged when this answers, and is stored even if this refuses. */
export type AfterCommit = (committed: readonly CommittedBatch[], durability: Durability) => Promise<Outcome<void>>;

/**
 * The tree of a log without records.
 *
 * @experimental
 */
export const EMPTY_LOG: Frontier = emptyFrontier();

/**
 * The batch that an append adds to a log and a run, or its refusal.
 *
 * @experimental
 */
export function nextBatch(log: Frontier, run: RunRow | undefined, append: Append): Outcome<Batch> {
  const batch = nextPending(run, append);
  return batch.ok ? pass(placeBatch(compact(batch.value), log, leavesOf(hashesOf(append)))) : batch;
}

/** Hashes of the records of an append. */
export function hashesOf({ records }: Append): readonly string[] {
  return records.map(({ record }) => record.hash);
}

/**
 * Leaves of records in the tree of their log, for `placeBatch`. They are hashed one at a time: hashing them together
 * would compile a second module of WebAssembly in each kernel.
 */
export function leavesOf(hashes: readonly string[]): Uint8Array {
  const leaves = new Uint8Array(32 * hashes.length);
  for (const [nth, hash] of hashes.entries()) leaves.set(hashLeaf(hashBytes(hash)), 32 * nth);
  return leaves;
}

/** The batch with its place at the end of a log. */
export function placeBatch({ run, ...batch }: PendingBatch, log: Frontier, leaves: Uint8Array): Batch {
  return { seq: log.size, ...batch, after: { log: pushLeaves(log, leaves), run } };
}

/** Inverse of `placeBatch`. */
export function withoutPlace({ seq: _, after, ...contents }: Batch): PendingBatch {
  return { ...contents, run: after.run };
}

/** The batch that an append adds to a run, or its refusal. The payloads are those of the append, not copies. */
export function nextPending(run: RunRow | undefined, append: Append): Outcome<PendingBatch> {
  const found = run ?? NO_RECORDS;
  const { expected } = append;
  if (found.records !== expected.records || found.head !== expected.head) {
    return refuse('head_moved', { expected: expected.records, found: found.records });
  }
  if (run?.foreign === true) return refuse('run_foreign', { run_id: append.run_id });
  // only a new task of the person reopens a run, and only a completed run
  const opens = run?.ended === 'completed' && append.records[0]?.record.kind === 'task';
  if (run?.sealed === true && !opens) return refuse('run_sealed', {});
  return pass({
    run_id: append.run_id,
    run_seq: expected.records,
    records: append.records.map((link) => link.text),
    payloads: append.payloads,
    ...(append.tables?.length && { rows: true }),
    run: rowAfter(run, append),
  });
}

/**
 * True if this append made the batch. A caller that lost the answer may repeat the append: same links, same place.
 *
 * @experimental
 */
export function isThere({ run_id, run_seq, after }: Batch, append: Append): boolean {
  const last = append.records.at(-1)?.record.hash;
  return run_id === append.run_id && run_seq === append.expected.records && after.run.head === last;
}

/**
 * Asserts that the links belong to a single run, each behind the link before. A violation is a defect of the writer.
 *
 * @experimental
 */
export function assertChained({ run_id, expected, records }: Append): void {
  assert(records.length > 0, 'an append has a record');
  let head = expected;
  for (const { record } of records) {
    const fits = record.run_id === run_id && record.run_seq === head.records && record.prev === head.head;
    if (!fits) throw new Defect(`record ${record.run_seq} follows the run's head`);
    head = headAfter(record);
  }
}

/**
 * The answer to an append: the place of its records in the log, with the root behind them.
 *
 * @experimental
 */
export function acknowledge(batch: Batch): Acknowledgement {
  const { seq, after } = batch;
  return {
    seq,
    size: after.log.size,
    // computed on demand: no step of a run needs it
    get root() {
      return rootOf(after.log);
    },
  };
}

function rowAfter(run: RunRow | undefined, { run_id, records }: Append): RunRow {
  const first = records[0]?.record;
  const last = records.at(-1)?.record;
  assert(first !== undefined && last !== undefined, 'an append has a record');
  const own = first.kind === 'configuration' ? first.body.dialect : '';
  const { at } = run ?? first;
  const dialect = run?.dialect ?? own;
  const { records: count, head } = headAfter(last);
  // each member by its name: a spread gives each row a shape of its own, which takes more memory than its members
  if (last.kind !== 'seal') return { run_id, at, dialect, records: count, head, sealed: false };
  return { run_id, at, dialect, records: count, head, sealed: true, ended: last.body.state };
}

/**
 * The rows as `runs()` lists them: the run that was written last is the first.
 *
 * @experimental
 */
export function youngestFirst(rows: readonly RunRow[]): readonly RunRow[] {
  return rows.toSorted((one, other) => other.at - one.at || (one.run_id < other.run_id ? -1 : 1));
}

/**
 * The batch with copies of its payloads, for a store that keeps or clones it: a view would take its whole buffer (a WASM
 * memory, a file) into the structured clone.
 */
export function compact(batch: PendingBatch): PendingBatch {
  const payloads = batch.payloads.map(({ sha256, bytes }) => ({ sha256, bytes: new Uint8Array(bytes) }));
  return { ...batch, payloads };
}
