import type { IDBPTransaction } from 'idb';
import { hashText } from '../../../core/hash.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { weightOf } from '../journal/compaction.ts';
import type { BatchOrder } from '../journal/frame.ts';
import { NOTED, type PlaceOptions, type UnnotedOrder } from '../mirror/log-index.ts';
import { type IndexEnds, type IndexPlan, planPlaces } from '../mirror/plan.ts';
import type { Waiting } from '../mirror/waiting.ts';
import { EMPTY_LOG, type PendingBatch } from '../store.ts';
import { TABLES, type TableName } from '../tables.ts';
import type { LedgerDb, LedgerSchema } from './connection.ts';
import { handled } from './handled.ts';
import type { Writing } from './heads.ts';
import type { PlacedEnds } from './place-at-once.ts';
import { placesOf } from './read.ts';
import { orAbort, startWrites } from './tables.ts';

type StoreName = 'batches' | 'order' | 'offsets' | TableName;
type Placing = IDBPTransaction<LedgerSchema, StoreName[], 'readwrite'>;

/** A log that is shorter than it was: the database has lost records. */
export class ShorterLog extends Error {
  readonly found: number;
  constructor(found: number) {
    super('The log has become shorter.');
    this.found = found;
  }
}

/** Changes of the index, and its ends behind them, if it has a batch. */
export interface Placed {
  readonly plan: IndexPlan;
  readonly ends: PlacedEnds | undefined;
}

/** Takes waiting content into the index, in a single transaction: all of it, or none. */
export async function placeAll(
  db: LedgerDb,
  waiting: readonly Waiting[],
  { durability, floor }: PlaceOptions,
): Promise<Placed> {
  const hasRows = waiting.some(({ tables, whole }) => whole || tables.length > 0);
  const stores: StoreName[] = ['batches', 'order', 'offsets', ...(hasRows ? TABLES : [])];
  const tx = db.transaction(stores, 'readwrite', { durability });
  tx.done.catch(() => undefined);
  return orAbort(tx, async () => {
    const ends = await readEnds(tx, waiting);
    if (ends.log.size < floor) throw new ShorterLog(ends.log.size);
    const plan = planPlaces(ends, waiting);
    await writePlan(tx, plan, ends.log.size);
    await tx.done;
    const last = plan.batches.at(-1)?.seq ?? ends.last;
    const runs = new Map([...ends.runs, ...plan.batches.map(({ run_id, after }) => [run_id, after.run] as const)]);
    return { plan, ends: last === undefined ? undefined : { last, log: plan.log, runs } };
  });
}

async function readEnds(
  tx: Placing,
  waiting: readonly Waiting[],
): Promise<IndexEnds & { readonly last: number | undefined }> {
  const batches = tx.objectStore('batches');
  const index = batches.index('run');
  const run_ids = [...new Set(waiting.flatMap(({ batch }) => batch?.run_id ?? []))];
  const [last, ...tails] = await Promise.all([
    batches.openCursor(null, 'prev'),
    ...run_ids.map((run_id) => index.openCursor(placesOf(run_id, 0), 'prev')),
  ]);
  const runs = new Map(tails.flatMap((tail) => (tail ? [[tail.value.run_id, tail.value.after.run] as const] : [])));
  const heads = new Map<PendingBatch, string>();
  for (const { batch, links, less } of waiting) {
    if (batch === undefined || links === undefined || less) continue;
    if (batch.run_seq >= (runs.get(batch.run_id)?.records ?? 0)) continue;
    const there = await index.get([batch.run_id, batch.run_seq]);
    heads.set(batch, there?.after.run.head ?? '');
  }
  return { last: last?.key, log: last?.value.after.log ?? EMPTY_LOG, runs, heads };
}

/** Requests in flight at a time: each holds a copy of its batch. */
const IN_FLIGHT = 256;

async function writePlan(tx: Placing, plan: IndexPlan, from: number): Promise<void> {
  const batches = tx.objectStore('batches');
  for (let at = 0; at < plan.batches.length; at += IN_FLIGHT)
    await Promise.all(plan.batches.slice(at, at + IN_FLIGHT).map((batch) => handled(batches.add(batch))));
  for (const batch of plan.less) await putLess(tx, batch);
  if (plan.order.length > 0) void handled(tx.objectStore('order').put(plan.order, from));
  await raiseOffsets(tx, plan.offsets);
  if (plan.clears) for (const table of TABLES) void handled(tx.objectStore(table).clear());
  for (let at = 0; at < plan.rows.length; at += IN_FLIGHT)
    await Promise.all(startWrites(tx as unknown as Writing, plan.rows.slice(at, at + IN_FLIGHT)));
}

/** Replaces a batch by its remainder after an erasure, unless the index already has less. */
async function putLess(tx: Placing, { run: _, ...less }: PendingBatch): Promise<void> {
  const batches = tx.objectStore('batches');
  const there = await batches.index('run').get([less.run_id, less.run_seq]);
  if (there === undefined || weightOf(there) <= weightOf(less)) return;
  await handled(batches.put({ seq: there.seq, ...less, after: there.after }));
}

/** Another kernel may have taken more of a file in than this kernel knows. */
async function raiseOffsets(tx: Placing, offsets: IndexPlan['offsets']): Promise<void> {
  const store = tx.objectStore('offsets');
  for (const [file, end] of offsets) {
    const before = await store.get(file);
    if (before === undefined || before < end) void handled(store.put(end, file));
  }
}

/** Offsets of all files, and the marks. */
export async function readOffsets(db: LedgerDb): Promise<ReadonlyMap<string, number>> {
  const { store } = db.transaction('offsets');
  const [keys, values] = await Promise.all([store.getAllKeys(), store.getAll()]);
  return new Map(keys.map((key, nth) => [key, values[nth] ?? 0]));
}

/** Changes offsets and marks; undefined removes one. */
export async function writeOffsets(
  db: LedgerDb,
  changes: ReadonlyMap<string, number | undefined>,
  durability: IDBTransactionDurability = 'relaxed',
): Promise<void> {
  const tx = db.transaction('offsets', 'readwrite', { durability });
  tx.done.catch(() => undefined);
  for (const [key, value] of changes)
    void handled<unknown>(value === undefined ? tx.store.delete(key) : tx.store.put(value, key));
  await tx.done;
}

export async function readUnnoted(db: LedgerDb): Promise<UnnotedOrder> {
  const tx = db.transaction(['order', 'offsets', 'batches']);
  const marked = tx.objectStore('offsets').get(NOTED);
  const last = tx.objectStore('batches').openCursor(null, 'prev');
  const range = IDBKeyRange.lowerBound((await marked) ?? 0);
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
export async function setNoted(db: LedgerDb, size: number): Promise<void> {
  const tx = db.transaction(['order', 'offsets'], 'readwrite', { durability: 'strict' });
  tx.done.catch(() => undefined);
  const offsets = tx.objectStore('offsets');
  const before = await offsets.get(NOTED);
  if (before === undefined || before < size) void handled(offsets.put(size, NOTED));
  void handled(tx.objectStore('order').delete(IDBKeyRange.upperBound(size, true)));
  await tx.done;
}
