import { rootOf } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import { type Batch, EMPTY_LOG, type LogHead, type LogSnapshot, youngestFirst } from '../store.ts';
import type { LedgerDb } from './connection.ts';

/** Range of all places of a run: arrays sort after numbers in IndexedDB. */
export function placesOf(run_id: string, from: number, to: number | [] = []): IDBKeyRange {
  return IDBKeyRange.bound([run_id, from], [run_id, to]);
}

/** The batches of a run from the batch with record `from` on. */
export async function readBatches(
  db: LedgerDb,
  run_id: string,
  from: number,
  most?: number,
): Promise<readonly Batch[]> {
  const index = batchesOf(db).index('run');
  // The batch with record `from` is the last batch that does not begin after it.
  const first = await index.openKeyCursor(placesOf(run_id, 0, from), 'prev');
  const start = first === null ? 0 : first.key[1];
  const batches = await index.getAll(placesOf(run_id, start), most);
  return batches.filter((batch) => batch.after.run.records > from);
}

/**
 * Finds a payload, which is stored with the first record that names it. Searches backwards from the batch of record
 * `upTo`.
 */
export async function findPayload(
  db: LedgerDb,
  run_id: string,
  sha256: string,
  upTo?: number,
): Promise<Uint8Array | undefined> {
  const index = batchesOf(db).index('run');
  for (let at = await index.openCursor(placesOf(run_id, 0, upTo), 'prev'); at !== null; at = await at.continue()) {
    const found = at.value.payloads.find((payload) => payload.sha256 === sha256);
    if (found !== undefined) return found.bytes;
  }
  return undefined;
}

/**
 * The last batch of each run holds its row; the cursor jumps from the last batch of a run to the last batch of the next
 * run.
 */
export function readRuns(db: LedgerDb): Promise<readonly RunRow[]> {
  return runsIn(batchesOf(db));
}

/** Number of records of each run, deleted runs included. */
export async function readRecordCounts(db: LedgerDb): Promise<ReadonlyMap<string, number>> {
  const index = batchesOf(db).index('run');
  const counts = new Map<string, number>();
  let at = await index.openCursor(null, 'prev');
  while (at !== null) {
    counts.set(at.value.run_id, at.value.after.run.records);
    at = await at.continue([at.value.run_id, -1]);
  }
  return counts;
}

export function readHead(db: LedgerDb): Promise<LogHead> {
  return headIn(batchesOf(db));
}

/** A single transaction sees the log at a single moment. */
export async function readSnapshot(db: LedgerDb): Promise<LogSnapshot> {
  const store = batchesOf(db);
  const [head, runs] = await Promise.all([headIn(store), runsIn(store)]);
  return { ...head, runs };
}

async function runsIn(store: Batches): Promise<readonly RunRow[]> {
  const index = store.index('run');
  const rows: RunRow[] = [];
  let at = await index.openCursor(null, 'prev');
  while (at !== null) {
    if (at.value.gone === undefined) rows.push(at.value.after.run);
    at = await at.continue([at.value.run_id, -1]);
  }
  return youngestFirst(rows);
}

async function headIn(store: Batches): Promise<LogHead> {
  const last = await store.openCursor(null, 'prev');
  const { log } = last?.value.after ?? { log: EMPTY_LOG };
  return { size: log.size, root: rootOf(log) };
}

type Batches = ReturnType<typeof batchesOf>;

function batchesOf(db: LedgerDb) {
  return db.transaction('batches').store;
}
