import { unwrap } from 'idb';
import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { weightOf } from '../journal/compaction.ts';
import type { BatchOrder, OrderNote } from '../journal/frame.ts';
import { type Batch, type Durability, EMPTY_LOG, type PendingBatch } from '../store.ts';
import { TABLES } from '../tables.ts';
import {
  beginWriting,
  checkEnd,
  handled,
  type LedgerDb,
  NOTED,
  orAbort,
  placesOf,
  RUNS,
  readEnds,
  type StoredEnds,
  startWrites,
  type Writing,
  type WrittenEnds,
} from './database.ts';
import type { DatabaseStore } from './database-store.ts';
import { type Placement, planPlaces, type Unplaced } from './places.ts';
import { readRecordCounts } from './run-list.ts';

/** Options of a placement. */
interface PlaceOptions {
  readonly durability: Durability;
  /** Size that the log had before. `log_lost` for a shorter log. */
  readonly floor: number;
}

/** Order of the log that no file has yet, with the log that it leads to. */
interface UnnotedOrder {
  readonly note: OrderNote | undefined;
  readonly log: Frontier;
}

/** The index of private files: it gives each batch its place in the log. Every call is a single transaction. */
export interface LogIndex {
  /** Takes unplaced content in: all of it, or none. `log_lost`, `store_full`, `store_lost`. */
  place(unplaced: readonly Unplaced[], options: PlaceOptions): Promise<Outcome<Placement>>;
  /** For each file, how far the index has it; and the marks. */
  offsets(): Promise<Outcome<ReadonlyMap<string, number>>>;
  /** Changes offsets and marks; undefined removes one. */
  setOffsets(changes: ReadonlyMap<string, number | undefined>, durability?: Durability): Promise<Outcome<void>>;
  unnoted(): Promise<Outcome<UnnotedOrder>>;
  /** Marks the order of the log up to this size as written to a file, and returns when the log is on the disk. */
  setNoted(size: number): Promise<Outcome<void>>;
  frontier(): Promise<Outcome<Frontier>>;
  /** Root of the log when it had this size; undefined where no batch ended there. */
  rootAt(size: number): Promise<Outcome<string | undefined>>;
  /** Number of records of each run, deleted runs included. */
  records(): Promise<Outcome<ReadonlyMap<string, number>>>;
  /** Row of a run behind its last batch. */
  run(run_id: string): Promise<Outcome<RunRow | undefined>>;
  /** The batch of a run that begins with this record. */
  batchAt(run_id: string, run_seq: number): Promise<Outcome<Batch | undefined>>;
}

/** The index of private files, in the database of a store. */
export class DatabaseIndex implements LogIndex {
  private readonly store: Pick<DatabaseStore, 'withDb' | 'frontier'>;
  private known: WrittenEnds | undefined;

  constructor(store: Pick<DatabaseStore, 'withDb' | 'frontier'>) {
    this.store = store;
  }

  async place(unplaced: readonly Unplaced[], options: PlaceOptions): Promise<Outcome<Placement>> {
    const placed = await this.store.withDb((db) => this.placeIn(db, unplaced, options).catch(ifShorter));
    if (!placed.ok) return placed;
    if (!(placed.value instanceof ShorterLog)) return pass(placed.value);
    return refuse('log_lost', { size: options.floor, found: placed.value.found });
  }

  private async placeIn(db: LedgerDb, unplaced: readonly Unplaced[], options: PlaceOptions): Promise<Placement> {
    const { known } = this;
    this.known = undefined;
    const quick = known && (await placeAtOnce(db, unplaced, known, options));
    if (known !== undefined && quick !== undefined) {
      const last = quick.batches.at(-1)?.seq ?? known.last;
      for (const { run_id, after } of quick.batches) {
        // the next task of a finished run reads its row
        if (after.run.sealed) known.runs.delete(run_id);
        else known.runs.set(run_id, after.run);
      }
      this.known = { last, log: quick.log, runs: known.runs };
      return quick;
    }
    const { placement, ends } = await placeAll(db, unplaced, options);
    this.known = ends && known ? { ...ends, runs: new Map([...known.runs, ...ends.runs]) } : ends;
    return placement;
  }

  offsets(): Promise<Outcome<ReadonlyMap<string, number>>> {
    return this.store.withDb(readOffsets);
  }

  setOffsets(changes: ReadonlyMap<string, number | undefined>, durability?: Durability): Promise<Outcome<void>> {
    return this.store.withDb((db) => writeOffsets(db, changes, durability));
  }

  unnoted(): Promise<Outcome<UnnotedOrder>> {
    return this.store.withDb(readUnnoted);
  }

  setNoted(size: number): Promise<Outcome<void>> {
    return this.store.withDb((db) => writeNoted(db, size));
  }

  frontier(): Promise<Outcome<Frontier>> {
    return this.store.frontier();
  }

  rootAt(size: number): Promise<Outcome<string | undefined>> {
    return this.store.withDb((db) => readRoot(db, size));
  }

  records(): Promise<Outcome<ReadonlyMap<string, number>>> {
    return this.store.withDb(readRecordCounts);
  }

  run(run_id: string): Promise<Outcome<RunRow | undefined>> {
    return this.store.withDb(async (db) => {
      const last = await db.transaction('batches').store.index('run').openCursor(placesOf(run_id, 0), 'prev');
      return last?.value.after.run;
    });
  }

  batchAt(run_id: string, run_seq: number): Promise<Outcome<Batch | undefined>> {
    return this.store.withDb((db) => db.getFromIndex('batches', 'run', [run_id, run_seq]));
  }
}

function ifShorter(reason: unknown): ShorterLog {
  if (reason instanceof ShorterLog) return reason;
  throw reason;
}

async function readRoot(db: LedgerDb, size: number): Promise<string | undefined> {
  const range = IDBKeyRange.upperBound(size, true);
  const last = size > 0 ? await db.transaction('batches').store.openCursor(range, 'prev') : null;
  const log = last?.value.after.log;
  return log?.size === size ? hashText(rootOf(log)) : undefined;
}

/**
 * Quick way to place batches of this kernel: all requests at once, beside a request that checks the end of the log.
 * Undefined where the log ends elsewhere or a batch does not fit: nothing is written then.
 */
async function placeAtOnce(
  db: LedgerDb,
  unplaced: readonly Unplaced[],
  known: WrittenEnds,
  { durability, floor }: PlaceOptions,
): Promise<Placement | undefined> {
  if (known.log.size < floor || !unplaced.every(isPlain)) return undefined;
  const placement = planPlaces({ ...known, heads: new Map() }, unplaced);
  if (placement.batches.length < unplaced.length) return undefined;
  const tx = unwrap(db).transaction(['batches', 'order', 'offsets'], 'readwrite', { durability });
  return writeAtOnce(tx, placement, known).then(
    () => placement,
    // another kernel was faster, or the connection died: reading the log tells which
    () => undefined,
  );
}

/** True for a batch of this kernel without rows. */
function isPlain({ batch, links, less, tables }: Unplaced): boolean {
  return batch !== undefined && links !== undefined && !less && tables.length === 0;
}

function writeAtOnce(tx: IDBTransaction, placement: Placement, { last, log }: WrittenEnds): Promise<void> {
  return new Promise((resolve, reject) => {
    let isBehind = false;
    tx.onabort = () => reject(tx.error ?? new Error('The log ends elsewhere.'));
    tx.oncomplete = () => (isBehind ? resolve() : reject(new Error('The log ends elsewhere.')));
    checkEnd(tx, last, (isEnd) => {
      isBehind = isEnd;
      if (!isEnd) tx.abort();
    });
    for (const batch of placement.batches) tx.objectStore('batches').add(batch);
    tx.objectStore('order').put(placement.order, log.size);
    for (const [file, end] of placement.offsets) tx.objectStore('offsets').put(end, file);
  });
}

/** A log that is shorter than it was: the database has lost records. */
class ShorterLog extends Error {
  readonly found: number;
  constructor(found: number) {
    super('The log has become shorter.');
    this.found = found;
  }
}

/** Changes of the index, and its ends behind them, if it has a batch. */
interface Placed {
  readonly placement: Placement;
  readonly ends: WrittenEnds | undefined;
}

/** Takes unplaced content into the index, in a single transaction: all of it, or none. */
async function placeAll(
  db: LedgerDb,
  unplaced: readonly Unplaced[],
  { durability, floor }: PlaceOptions,
): Promise<Placed> {
  const hasRows = unplaced.some(({ tables, whole }) => whole || tables.length > 0);
  const tx = beginWriting(db, ['batches', 'order', 'offsets', ...(hasRows ? TABLES : [])], durability);
  return orAbort(tx, async () => {
    const { last: before, ...ends } = await readEnds(tx, new Set(unplaced.flatMap(({ batch }) => batch?.run_id ?? [])));
    if (ends.log.size < floor) throw new ShorterLog(ends.log.size);
    const heads = await readHeads(tx, ends, unplaced);
    const placement = planPlaces({ ...ends, heads }, unplaced);
    await writePlacement(tx, placement, ends.log.size);
    await tx.done;
    const last = placement.batches.at(-1)?.seq ?? before;
    const placed = placement.batches.map(({ run_id, after }) => [run_id, after.run] as const);
    const runs = new Map([...ends.runs, ...placed]);
    return { placement, ends: last === undefined ? undefined : { last, log: placement.log, runs } };
  });
}

/** Heads behind the batches of the index in whose places this kernel has written. */
async function readHeads(
  tx: Writing,
  { runs }: StoredEnds,
  unplaced: readonly Unplaced[],
): Promise<ReadonlyMap<PendingBatch, string>> {
  const heads = new Map<PendingBatch, string>();
  for (const { batch, links, less } of unplaced) {
    if (batch === undefined || links === undefined || less) continue;
    if (batch.run_seq >= (runs.get(batch.run_id)?.records ?? 0)) continue;
    const there = await tx.objectStore('batches').index('run').get([batch.run_id, batch.run_seq]);
    heads.set(batch, there?.after.run.head ?? '');
  }
  return heads;
}

/** Requests in flight at a time: each holds a copy of its batch. */
const IN_FLIGHT = 256;

async function writePlacement(tx: Writing, { batches, ...placement }: Placement, from: number): Promise<void> {
  const store = tx.objectStore('batches');
  for (let at = 0; at < batches.length; at += IN_FLIGHT)
    await Promise.all(batches.slice(at, at + IN_FLIGHT).map((batch) => handled(store.add(batch))));
  for (const batch of placement.less) await putLess(tx, batch);
  if (placement.order.length > 0) void handled(tx.objectStore('order').put(placement.order, from));
  await raiseOffsets(tx, placement.offsets);
  if (placement.clears) for (const table of TABLES) void handled(tx.objectStore(table).clear());
  for (let at = 0; at < placement.rows.length; at += IN_FLIGHT)
    await Promise.all(startWrites(tx, placement.rows.slice(at, at + IN_FLIGHT)));
}

/** Replaces a batch by its remainder after an erasure, unless the index already has less. */
async function putLess(tx: Writing, { run: _, ...less }: PendingBatch): Promise<void> {
  const batches = tx.objectStore('batches');
  const there = await batches.index('run').get([less.run_id, less.run_seq]);
  if (there === undefined || weightOf(there) <= weightOf(less)) return;
  await handled(batches.put({ seq: there.seq, ...less, after: there.after }));
}

/** Another kernel may have taken more of a file in than this kernel knows. */
async function raiseOffsets(tx: Writing, offsets: Placement['offsets']): Promise<void> {
  const store = tx.objectStore('offsets');
  for (const [file, end] of offsets) {
    const before = await store.get(file);
    if (before === undefined || numberIn(before) < end) void handled(store.put(end, file));
  }
}

/** Offsets of all files, and the marks. */
async function readOffsets(db: LedgerDb): Promise<ReadonlyMap<string, number>> {
  const { store } = db.transaction('offsets');
  const range = IDBKeyRange.upperBound(RUNS, true);
  const [keys, values] = await Promise.all([store.getAllKeys(range), store.getAll(range)]);
  return new Map(keys.map((key, nth) => [key, numberIn(values[nth])]));
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Changes offsets and marks; undefined removes one. */
async function writeOffsets(
  db: LedgerDb,
  changes: ReadonlyMap<string, number | undefined>,
  durability: Durability = 'relaxed',
): Promise<void> {
  const tx = beginWriting(db, ['offsets'], durability);
  const store = tx.objectStore('offsets');
  for (const [key, value] of changes)
    void handled<unknown>(value === undefined ? store.delete(key) : store.put(value, key));
  await tx.done;
}

async function readUnnoted(db: LedgerDb): Promise<UnnotedOrder> {
  const tx = db.transaction(['order', 'offsets', 'batches']);
  const marked = tx.objectStore('offsets').get(NOTED);
  const last = tx.objectStore('batches').openCursor(null, 'prev');
  const range = IDBKeyRange.lowerBound(numberIn(await marked));
  const order = tx.objectStore('order');
  const [keys, values] = await Promise.all([order.getAllKeys(range), order.getAll(range)]);
  const log = (await last)?.value.after.log ?? EMPTY_LOG;
  const from = startOf(keys, values, log.size);
  const parts = values.slice(keys.indexOf(from ?? 0));
  return { note: from === undefined ? undefined : { from, order: parts.flat(), root: hashText(rootOf(log)) }, log };
}

/** Place from which on the order is known without a gap, up to the end of the log. */
function startOf(keys: readonly number[], values: readonly BatchOrder[], size: number): number | undefined {
  let start: number | undefined;
  let end = size;
  for (let nth = keys.length - 1; nth >= 0; nth--) {
    const [from, order] = [keys[nth] ?? 0, values[nth] ?? []];
    if (order.reduce((sum, [, , records]) => sum + records, from) !== end) return start;
    [start, end] = [from, from];
  }
  return start;
}

/** Marks the order of the log up to this size as written to a file. The whole log is on the disk then. */
async function writeNoted(db: LedgerDb, size: number): Promise<void> {
  const tx = beginWriting(db, ['order', 'offsets'], 'strict');
  const offsets = tx.objectStore('offsets');
  const before = await offsets.get(NOTED);
  if (before === undefined || numberIn(before) < size) void handled(offsets.put(size, NOTED));
  void handled(tx.objectStore('order').delete(IDBKeyRange.upperBound(size, true)));
  await tx.done;
}
