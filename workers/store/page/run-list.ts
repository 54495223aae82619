import { hashText } from '../../../core/hash.ts';
import { isCount, isObject } from '../../../core/json/value.ts';
import { readRecord } from '../../../core/ledger/line.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import { PAGE } from '../paging.ts';
import { type Batch, EMPTY_LOG, type LogSnapshot, youngestFirst } from '../store.ts';
import { SYSTEM } from '../system-log.ts';
import { beginWriting, type KeptRunList, type LedgerDb, placesOf, type ReadTx, RUNS } from './database.ts';

/** The rows of all runs at a place of the log. */
interface Rows extends Pick<KeptRunList, 'last' | 'root'> {
  readonly rows: ReadonlyMap<string, RunRow>;
  readonly gone: ReadonlySet<string>;
  readonly leaving: ReadonlySet<string>;
}

/** Rows, and the number of batches that were read for them. */
interface FoundRows {
  readonly rows: Rows;
  readonly read: number;
}

/** A list is kept where the next opening would otherwise read as many batches. */
const KEPT_FROM = 64;

/**
 * The list of runs of a log. The last batch of each run holds its row, and a step to each of them takes the browser a
 * millisecond. So the list stays in memory, and in the database for the next opening; a reading adds the batches behind
 * it. Every tab and every build appends to the same log, so none has to tell another of its batches.
 *
 * A list counts where the log still has its beginning: the same root at the same place. A stored batch changes in a single
 * way that a row shows: its run is deleted. The log records each deletion before the content goes, so the runs that these
 * records name are looked at until they are gone. A list holds no more than the last batches, and no text: tasks and
 * callers stand in rows of their own.
 *
 * A program that writes to the database can falsify the list, as it can falsify batches. `readRun` and `readAnew` use
 * none: retention, backups, checks of the log, and sessions that go on for another ask these.
 */
export class RunList {
  private known: Rows | undefined;
  /** Batches that an opening would read behind the list that is kept. */
  private behind = Number.POSITIVE_INFINITY;
  private keeping: Promise<unknown> = Promise.resolve();

  /** All runs, the youngest first. */
  async read(db: LedgerDb): Promise<readonly RunRow[]> {
    const tx = db.transaction(['batches', 'offsets']);
    const from = this.known ?? (await this.kept(tx));
    const found = (from && (await follow(tx, from))) ?? (await walk(tx));
    this.note(db, found);
    return found === undefined ? [] : listed(found.rows);
  }

  /** Head and runs as the last batches have them, at a single moment. */
  async readAnew(db: LedgerDb): Promise<LogSnapshot> {
    const tx = db.transaction(['batches', 'offsets']);
    const last = tx.objectStore('batches').openCursor(null, 'prev');
    const found = await walk(tx);
    const log = (await last)?.value.after.log ?? EMPTY_LOG;
    this.note(db, found);
    return { size: log.size, root: rootOf(log), runs: found === undefined ? [] : listed(found.rows) };
  }

  /** Returns when the list is written. */
  async idle(): Promise<void> {
    await this.keeping;
  }

  private async kept(tx: ReadTx): Promise<Rows | undefined> {
    const rows = rowsIn(await tx.objectStore('offsets').get(RUNS));
    if (rows !== undefined) this.behind = 0;
    return rows;
  }

  private note(db: LedgerDb, found: FoundRows | undefined): void {
    this.known = found?.rows;
    this.behind += found?.read ?? 0;
    if (found === undefined || this.behind < KEPT_FROM || found.rows.rows.size < KEPT_FROM) return;
    this.behind = 0;
    // without it the next opening reads more
    this.keeping = this.keeping.then(() => keep(db, found.rows)).catch(() => undefined);
  }
}

/** The row of a run, as its last batch has it. */
export async function readRun(db: LedgerDb, run_id: string): Promise<RunRow | undefined> {
  const last = await lastOf(db.transaction(['batches', 'offsets']), run_id);
  return last?.gone === undefined ? last?.after.run : undefined;
}

/** Number of records of each run, deleted runs included. */
export async function readRecordCounts(db: LedgerDb): Promise<ReadonlyMap<string, number>> {
  const tx = db.transaction(['batches', 'offsets']);
  const counts = await ofLastBatches(tx, ({ run_id, after }) => [run_id, after.run.records] as const);
  return new Map(counts);
}

function listed({ rows, gone }: Rows): readonly RunRow[] {
  return youngestFirst([...rows.values()].filter(({ run_id }) => !gone.has(run_id)));
}

/** Adds the batches behind a list to it. Undefined where the log does not have its beginning, or a walk reads less. */
async function follow(tx: ReadTx, from: Rows): Promise<FoundRows | undefined> {
  const batches = tx.objectStore('batches');
  const most = Math.max(from.rows.size, KEPT_FROM);
  const behind = IDBKeyRange.lowerBound(from.last, true);
  const [at, keys] = await Promise.all([batches.get(from.last), batches.getAllKeys(behind, most + 1)]);
  if (at === undefined || rootBehind(at) !== from.root || at.after.log.size !== sizeOf(from)) return undefined;
  if (keys.length > most) return undefined;
  const [rows, gone, named] = [new Map(from.rows), new Set(from.gone), new Set(from.leaving)];
  let last = at;
  for (let read = 0; read < keys.length; read += PAGE) {
    for (const batch of await batches.getAll(IDBKeyRange.lowerBound(last.seq, true), PAGE)) {
      rows.set(batch.run_id, batch.after.run);
      if (batch.gone !== undefined) gone.add(batch.run_id);
      for (const run_id of deletedIn(batch)) named.add(run_id);
      last = batch;
    }
  }
  const leaving = await stillThere(tx, { rows, gone }, named);
  return { rows: { last: last.seq, root: rootBehind(last), rows, gone, leaving }, read: keys.length };
}

/** Reads the last batch of each run. Undefined for an empty log. */
async function walk(tx: ReadTx): Promise<FoundRows | undefined> {
  const batches = tx.objectStore('batches');
  const [last, ends, system] = await Promise.all([
    batches.openCursor(null, 'prev'),
    ofLastBatches(tx, ({ gone, after }) => [after.run, gone !== undefined] as const),
    batches.index('run').getAll(placesOf(SYSTEM, 0)),
  ]);
  if (last === null) return undefined;
  const rows = new Map(ends.map(([row]) => [row.run_id, row]));
  const gone = new Set(ends.flatMap(([{ run_id }, isGone]) => (isGone ? [run_id] : [])));
  const leaving = new Set(system.flatMap(deletedIn).filter((run_id) => rows.has(run_id) && !gone.has(run_id)));
  const { key, value } = last;
  return { rows: { last: key, root: rootBehind(value), rows, gone, leaving }, read: rows.size };
}

/** The runs of these whose content is still there. The others are noted as gone. */
async function stillThere(
  tx: ReadTx,
  { rows, gone }: { readonly rows: ReadonlyMap<string, RunRow>; readonly gone: Set<string> },
  named: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const asked = [...named].filter((run_id) => rows.has(run_id) && !gone.has(run_id));
  const ends = await Promise.all(asked.map((run_id) => lastOf(tx, run_id)));
  const isGone = (_: string, nth: number): boolean => ends[nth]?.gone !== undefined;
  for (const run_id of asked.filter(isGone)) gone.add(run_id);
  return new Set(asked.filter((run_id) => !gone.has(run_id)));
}

/** The runs whose deletion a batch records. */
function deletedIn({ run_id, records }: Batch): readonly string[] {
  if (run_id !== SYSTEM) return [];
  return records.flatMap((text) => {
    const line = readRecord(text);
    const record = typeof line === 'string' ? undefined : line.record;
    return record?.kind === 'log' && record.body.event === 'deleted' ? [record.body.run] : [];
  });
}

async function lastOf(tx: ReadTx, run_id: string): Promise<Batch | undefined> {
  const last = await tx.objectStore('batches').index('run').openCursor(placesOf(run_id, 0), 'prev');
  return last?.value;
}

function rootBehind({ after }: Batch): string {
  return hashText(rootOf(after.log));
}

/** Size of the log that has these rows. */
function sizeOf({ rows }: Rows): number {
  let size = 0;
  for (const { records } of rows.values()) size += records;
  return size;
}

async function keep(db: LedgerDb, { last, root, rows, gone, leaving }: Rows): Promise<void> {
  const kept: KeptRunList = { last, root, rows: [...rows.values()], gone: [...gone], leaving: [...leaving] };
  const tx = beginWriting(db, ['offsets'], 'relaxed');
  await Promise.all([tx.objectStore('offsets').put(kept, RUNS), tx.done]);
}

/** The rows of a kept list. Undefined for a value of another form: a program other than ours has written it. */
function rowsIn(value: unknown): Rows | undefined {
  if (!isObject(value)) return undefined;
  const { last, root, rows, gone, leaving } = value as { readonly [name: string]: unknown };
  if (!isCount(last) || typeof root !== 'string' || !isListOf(rows, isRow)) return undefined;
  if (!isListOf(gone, isText) || !isListOf(leaving, isText)) return undefined;
  const byId = new Map(rows.map((row) => [row.run_id, row]));
  return { last, root, rows: byId, gone: new Set(gone), leaving: new Set(leaving) };
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRow(value: unknown): value is RunRow {
  if (!isObject(value)) return false;
  const { run_id, head, dialect, records, at, sealed } = value as { readonly [name: string]: unknown };
  return [run_id, head, dialect].every(isText) && isCount(records) && isCount(at) && typeof sealed === 'boolean';
}

/**
 * What `take` makes of the last batch of each run. A cursor jumps from the last batch of a run to that of the next, and
 * waits for the browser at each: cursors over several ranges wait together.
 */
async function ofLastBatches<T>(tx: ReadTx, take: (last: Batch) => T): Promise<readonly T[]> {
  const index = tx.objectStore('batches').index('run');
  const walked = async (range: IDBKeyRange): Promise<readonly T[]> => {
    const taken: T[] = [];
    let at = await index.openCursor(range, 'prev');
    while (at !== null) {
      taken.push(take(at.value));
      at = await at.continue([at.value.run_id, -1]);
    }
    return taken;
  };
  return (await Promise.all(ranges().map(walked))).flat();
}

/** Where the ranges of run ids end: ids are hexadecimal, and each range holds as many. An array sorts before a longer one. */
const ENDS = Array.from('fedcba987654321', (digit) => [digit]);

/** Ranges that hold every place of every run, the last first. */
function ranges(): readonly IDBKeyRange[] {
  return [
    IDBKeyRange.lowerBound(ENDS[0]),
    ...ENDS.slice(1).map((from, nth) => IDBKeyRange.bound(from, ENDS[nth], false, true)),
    IDBKeyRange.upperBound(ENDS.at(-1), true),
  ];
}
