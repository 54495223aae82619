import type { Label } from '../../../core/capability/guard.ts';
import { checkPath } from '../../../core/content/section.ts';
import { readSymbol, toolSymbol } from '../../../core/content/symbols.ts';
import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { decode } from '../../../core/json/decode-within.ts';
import { concatBytes, encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { extend, NO_RECORDS } from '../../../core/ledger/chain.ts';
import { isUuid4 } from '../../../core/ledger/form.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { KEPT_LIMITS } from '../../../core/limits.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import {
  ALL_LABELS,
  LABEL_ROWS,
  labelPrefix,
  OWN_ROWS,
  SOURCE_WORDS,
  type SourceRow,
  type StoredValue,
  sourceKey,
} from '../../../core/run/commit/storage.ts';
import type { RunRow } from '../../api.ts';
import { foreignEntry } from '../../store/journal/foreign.ts';
import { type Entry, encodeFrame } from '../../store/journal/frame.ts';
import { hasContents } from '../../store/journal/header.ts';
import { bodiesIn, type FramePlace, framesIn } from '../../store/journal/journal.ts';
import { logPages, PAGE } from '../../store/paging.ts';
import { follower, lastRows } from '../../store/restorable.ts';
import { eachRows, rowsWith } from '../../store/rows.ts';
import { type Batch, EMPTY_LOG, type Exchange, type LedgerStore, nextBatch, type Pages } from '../../store/store.ts';
import { SYSTEM } from '../../store/system-log.ts';
import type { TableName, TableValue, TableWrite } from '../../store/tables.ts';
import { digest, type FileRow, STAMP } from '../content/file.ts';
import { fileOf } from '../content/ingest.ts';

/**
 * Takes the next bytes of a backup; the backup continues once it has answered. Behind the `last` bytes the file is
 * complete.
 */
export type BackupSink = (bytes: Uint8Array, done: number, all: number, last: boolean) => ReturnType<BackupProgress>;

/** Records that a backup was made or restored. */
type Note = (body: Extract<LogBody, { event: 'backup_made' | 'backup_restored' }>) => Promise<Outcome<void>>;

/**
 * Writes the whole ledger as a single file, page by page: every batch of the log and every row beside it, framed as in
 * the journal of a directory, whose `ledger.journal` it can become. The last frame counts the frames before it, so that
 * no beginning passes for the whole. The file is not encrypted: any holder can read it. Reports records as progress;
 * false if ended by the caller. The complete file is noted; where the log can take no record any more, the file is what
 * can still be had.
 */
export async function backUp(store: LedgerStore, take: BackupSink, note?: Note): Promise<Outcome<boolean>> {
  const head = await store.head();
  if (!head.ok) return head;
  let [from, frames, root] = [0, 0, rootOf(EMPTY_LOG)];
  const giveOn = (entries: readonly Entry[], last = false) => {
    frames += entries.length;
    // the log may grow meanwhile
    return take(concatBytes(entries.map((entry) => encodeFrame(entry))), from, Math.max(from, head.value.size), last);
  };
  for await (const page of logPages(store)) {
    if (!page.ok) return page;
    const end = page.value.at(-1)?.after.log;
    if (end !== undefined) [from, root] = [end.size, rootOf(end)];
    if (!(await giveOn(page.value.map((batch) => ({ batch, tables: [] }))))) return pass(false);
  }
  // the first frame of the rows declares the following rows complete
  if (!(await giveOn([{ tables: [], whole: true, at: 0 }]))) return pass(false);
  const rows = await eachRows(store, (tables) => giveOn([{ tables, at: 0 }]));
  if (!rows.ok || !rows.value) return rows;
  const isWhole = await giveOn([{ tables: [], end: frames }], true);
  if (isWhole && from > 0) await note?.({ event: 'backup_made', size: from, root: hashText(root) });
  return pass(isWhole);
}

/**
 * Appends a backup's log to this log, if this log is its beginning (an empty log always is). Every hash is verified
 * first; no byte is written from a file that is damaged, cut off, or of another log: `backup_refused`. A ledger that
 * already has the whole log, and behind it no more than the records of backups, stays as it is. Restored content is foreign: its runs are never resumed. False if ended by
 * the caller before the first write; the write itself cannot be ended. Reports bytes as progress, each when it is read
 * and again when it is verified. Without a store the backup is only verified.
 */
export async function takeBack(
  store: LedgerStore | undefined,
  backup: Blob,
  tell: BackupProgress = () => true,
  note?: Note,
): Promise<Outcome<boolean>> {
  const head = (await store?.head()) ?? pass(undefined);
  if (!head.ok) return head;
  const from = head.value?.size ?? 0;
  const read = await indexBackup(backup, tell);
  if (!read.ok) return read;
  if (read.value === undefined) return pass(false);
  const verified = await verify(backup, read.value, from, tell);
  if (!verified.ok) return verified;
  if (verified.value === undefined) return pass(false);
  if (store === undefined || head.value === undefined) return pass(true);
  const { size, root, whole } = verified.value;
  if (from > size && (await hasAll(store, size, whole))) return pass(true);
  if (root !== hashText(head.value.root)) return refuse('backup_refused', { what: `this ledger has ${from} others` });
  // rows are no part of the log, so newer and older rows cannot be told apart
  if (from > 0 && from === size) return pass(true);
  const now = await store.head();
  if (!now.ok) return now;
  if (now.value.size !== from) return refuse('backup_refused', { what: GROWN });
  const restored = await store.restore(asForeign(pagesOf(backup, read.value, from)));
  if (!restored.ok && restored.refusal.code === 'head_moved') return refuse('backup_refused', { what: GROWN });
  if (!restored.ok) return restored;
  const noted = await note?.({ event: 'backup_restored', size, root: whole, found: from });
  return noted?.ok === false ? noted : pass(true);
}

const GROWN = 'this ledger has grown meanwhile';

/** True if a log has this root at this size, and behind it no more than the records of backups. */
async function hasAll(store: LedgerStore, size: number, root: string): Promise<boolean> {
  let isThere = false;
  for await (const page of logPages(store)) {
    if (!page.ok) return false;
    for (const { seq, run_id, records, after } of page.value) {
      if (seq >= size && !(run_id === SYSTEM && records.every(isOfBackup))) return false;
      isThere ||= after.log.size === size && hashText(rootOf(after.log)) === root;
    }
  }
  return isThere;
}

function isOfBackup(text: string): boolean {
  const { kind, body } = JSON.parse(text) as LedgerRecord;
  return kind === 'log' && (body.event === 'backup_made' || body.event === 'backup_restored');
}

/**
 * Verifies a backup, and prepares to replace the whole log of a store by it. Behind the incoming log stands the record
 * that it was restored, in the epoch `epoch` or the later epoch of that log. Undefined if ended by the caller: nothing
 * is left behind. Reports thirds as progress: the file read, verified, and written. `backup_refused`.
 */
export async function prepareReplacement(
  store: LedgerStore,
  backup: Blob,
  tell: BackupProgress,
  epoch: number,
): Promise<Outcome<Exchange | undefined>> {
  if (store.exchange === undefined)
    return refuse('backup_refused', { what: `a ledger in ${store.kind} is not replaced` });
  const head = await store.head();
  if (!head.ok) return head;
  const check: BackupProgress = (done, all) => tell(2 * done, 3 * all);
  const read = await indexBackup(backup, check);
  if (!read.ok || read.value === undefined) return read.ok ? pass(undefined) : read;
  const verified = await verify(backup, read.value, 0, check);
  if (!verified.ok || verified.value === undefined) return verified.ok ? pass(undefined) : verified;
  const stop = new Error('The caller has ended the replacement.');
  const noted = restoredBatch(verified.value, head.value.size, epoch);
  if (!noted.ok) return noted;
  const marks = await marksOf(store);
  if (!marks.ok) return marks;
  const pages = withLast(asForeign(pagesOf(backup, read.value, 0)), noted.value, marks.value);
  const count = pageCount(read.value);
  let isPrepared = false;
  const told: Pages = async (nth) => {
    // behind the preparation it can no longer be ended
    if (!(await tell(2 * count + Math.min(nth, count), 3 * count)) && !isPrepared) throw stop;
    return pages(nth);
  };
  try {
    const prepared = await store.exchange(told);
    isPrepared = true;
    return prepared;
  } catch (reason) {
    if (reason === stop) return pass(undefined);
    throw reason;
  }
}

/** The record that a log was restored in the place of a log of `found` records, behind it. */
function restoredBatch({ size, whole, end, system }: VerifiedLog, found: number, epoch: number): Outcome<Batch> {
  const run = system && foreignBatch(system).after.run;
  const { records, head } = run ?? NO_RECORDS;
  const last = system?.records.at(-1);
  const latest = last === undefined ? 0 : (JSON.parse(last) as LedgerRecord).epoch;
  const body: LogBody = { event: 'backup_restored', size, root: whole, found };
  const origin = { run_id: SYSTEM, epoch: Math.max(epoch, latest), at: Date.now() };
  const link = extend({ records, head }, { kind: 'log', body }, origin);
  return nextBatch(end, run, { run_id: SYSTEM, expected: { records, head }, records: [link], payloads: [] });
}

/**
 * Rows that say what held values of this ledger were handed to. They stay: no file takes back what its author would like
 * to be read.
 */
async function marksOf(store: LedgerStore): Promise<Outcome<readonly TableWrite[]>> {
  const rows = await rowsWith(store, ALL_LABELS);
  if (!rows.ok) return rows;
  const marks = rows.value.filter(([key]) => key.endsWith('/held') || key.startsWith(labelPrefix('')));
  return pass(marks.map(([key, value]) => ({ table: 'kept', key, value })));
}

/** Pages, and behind them a page with this batch and these rows. */
function withLast(pages: Pages, batch: Batch, tables: readonly TableWrite[]): Pages {
  let isGiven = false;
  return async (nth) => {
    isGiven &&= nth > 0;
    const page = await pages(nth);
    if (page !== undefined || isGiven) return page;
    isGiven = true;
    return { batches: [batch], tables };
  };
}

/** Progress callback, called from time to time; false ends the work where it can be ended. */
export type BackupProgress = (done: number, all: number) => boolean | Promise<boolean>;

/** A frame with rows: their names, and the time of the write. */
interface RowFrame extends FramePlace {
  readonly names: readonly string[];
  readonly written: number;
  readonly whole: boolean;
}

/** Places of all frames in a backup. The contents are read again when they are needed. */
interface BackupIndex {
  /** Places of the batches, in the order of the log. */
  readonly batches: readonly FramePlace[];
  /** Names of the rows whose last value is in a frame, by frame. */
  readonly rows: ReadonlyMap<FramePlace, ReadonlySet<string>>;
}

/** Frames between two calls of the progress callback. */
const PROGRESS_EVERY = 500;

/** Reads a backup once and keeps the places of its frames. Undefined if ended by the caller. `backup_refused`. */
async function indexBackup(backup: Blob, tell: BackupProgress): Promise<Outcome<BackupIndex | undefined>> {
  const found = framesIn(backup);
  const batches: (FramePlace & { readonly seq: number })[] = [];
  const rows: RowFrame[] = [];
  let isWhole = false;
  let next = await found.next();
  for (let before = 0; next.done !== true; next = await found.next(), before++) {
    const { at, length, header, body } = next.value;
    isWhole = false;
    if (before % PROGRESS_EVERY === PROGRESS_EVERY - 1 && !(await tell(at, 2 * backup.size))) return pass(undefined);
    if (!hasContents(header.state)) continue;
    const entry = foreignEntry(body, header.state);
    if (entry === undefined) return refuse('backup_refused', { what: `unknown data at byte ${at}` });
    const { batch, tables, whole = false, at: written = 0 } = entry;
    isWhole = entry.end === before;
    if (batch !== undefined) batches.push({ at, length, seq: batch.seq });
    if (whole || tables.length > 0) rows.push({ at, length, names: tables.map(nameOf), written, whole });
  }
  if (next.value !== backup.size) return refuse('backup_refused', { what: `it is damaged at byte ${next.value}` });
  if (!isWhole) return refuse('backup_refused', { what: 'it is truncated, or was assembled from two backups' });
  return pass({ batches: batches.toSorted((one, other) => one.seq - other.seq), rows: lasting(rows) });
}

/** Finds the frame with the last value of each row, by the rule of `lastRows`, from names alone. */
function lasting(rows: readonly RowFrame[]): BackupIndex['rows'] {
  const owners = new Map<string, FramePlace>();
  for (const frame of rows.toSorted((one, other) => one.written - other.written)) {
    if (frame.whole) owners.clear();
    for (const name of frame.names) owners.set(name, frame);
  }
  const lasting = new Map<FramePlace, Set<string>>();
  for (const [name, frame] of owners) lasting.set(frame, (lasting.get(frame) ?? new Set()).add(name));
  return lasting;
}

function nameOf({ table, key }: TableWrite): string {
  return JSON.stringify([table, key]);
}

/** Size of a backup's log, and its root at record `from`. */
interface VerifiedLog {
  readonly size: number;
  readonly root: string | undefined;
  /** Root of all of it. */
  readonly whole: string;
  readonly end: Frontier;
  /** Last batch of the records of the log about itself, as the file has it. */
  readonly system: Batch | undefined;
}

/** Verifies every hash of a backup's log. Undefined if ended by the caller. `backup_refused`. */
async function verify(
  backup: Blob,
  { batches }: BackupIndex,
  from: number,
  tell: BackupProgress,
): Promise<Outcome<VerifiedLog | undefined>> {
  const read = readerOf(backup);
  const follow = follower(EMPTY_LOG, new Map());
  const rootAt = () => (follow.log.size === from ? hashText(rootOf(follow.log)) : undefined);
  let root = rootAt();
  let system: Batch | undefined;
  for (const [nth, place] of batches.entries()) {
    const { batch } = await read(place);
    if (batch === undefined || follow.take(batch) === undefined)
      return refuse('backup_refused', { what: `only ${follow.log.size} of its records are what their hashes say` });
    if (isBeyondEpochs(batch))
      return refuse('backup_refused', { what: `record ${batch.seq} of its log names an epoch that no log reaches` });
    root ??= rootAt();
    if (batch.run_id === SYSTEM) system = batch;
    if (nth % PROGRESS_EVERY === 0 && !(await tell(backup.size + place.at, 2 * backup.size))) return pass(undefined);
  }
  const goesOn = await tell(2 * backup.size, 2 * backup.size);
  if (!goesOn) return pass(undefined);
  const end = follow.log;
  return pass({ size: end.size, root, whole: hashText(rootOf(end)), end, system });
}

/** Pages of all rows, then of the batches behind record `from`: after a stop anywhere, the remainder can follow. */
function pagesOf(backup: Blob, { batches, rows }: BackupIndex, from: number): Pages {
  const read = readerOf(backup);
  const frames = [...rows];
  let follow = follower(EMPTY_LOG, new Map());
  return async (nth) => {
    if (nth === 0) follow = follower(EMPTY_LOG, new Map());
    const [place, names] = frames[nth] ?? [];
    if (place !== undefined) {
      const tables = lastRows([await read(place)]).filter((row) => names?.has(nameOf(row)));
      return { batches: [], tables };
    }
    const start = (nth - frames.length) * PAGE;
    const page: Batch[] = [];
    for (const each of batches.slice(start, start + PAGE)) {
      const { batch } = await read(each);
      const right = batch && follow.take(batch);
      if (right === undefined) throw new Error('The backup was changed while it was read.');
      if (right.seq >= from) page.push(right);
    }
    return start < batches.length ? { batches: page, tables: [] } : undefined;
  };
}

/** Number of pages that `pagesOf` gives from the first record on. */
function pageCount({ batches, rows }: BackupIndex): number {
  return rows.size + Math.ceil(batches.length / PAGE);
}

/** Reads a frame again that was sound before; the file may have changed meanwhile. */
function readerOf(backup: Blob): (place: FramePlace) => Promise<Entry> {
  const bodies = bodiesIn(backup);
  return async (place) => {
    const entry = foreignEntry(await bodies(place), 'live');
    if (entry === undefined) throw new Error('The backup was changed while it was read.');
    return entry;
  };
}

/**
 * The pages of a backup, made safe to restore. An attacker can make a backup in which every hash is right. So its runs
 * are marked as foreign, and never resumed. Of its rows only those enter that this program could have written, without
 * any value that it would rely on later.
 */
function asForeign(pages: Pages): Pages {
  // a page must be the same at the second request
  const stamp = crypto.randomUUID();
  return async (nth) => {
    const page = await pages(nth);
    if (page === undefined) return undefined;
    const rows = await Promise.all(page.tables.map((row) => admitted(row, stamp)));
    const tables = rows.filter((row) => row !== undefined);
    return { batches: page.batches.map(foreignBatch), tables: withLabelRows(tables) };
  };
}

/** The records of the log about itself are no foreign run, and have no end: this log continues them. */
function foreignBatch(batch: Batch): Batch {
  const { log, run } = batch.after;
  if (batch.run_id !== SYSTEM) return { ...batch, after: { log, run: { ...plainRow(run), foreign: true } } };
  const { ended: _, ...open } = run;
  return { ...batch, after: { log, run: plainRow({ ...open, sealed: false }) } };
}

/** No hash covers the row of a run, so a file may hold any value in it. */
function plainRow({ run_id, records, head, at, dialect, sealed, ended }: RunRow): RunRow {
  const end = ENDS.find((each) => each === ended);
  return { run_id, records, head, at, dialect, sealed, ...(end !== undefined && { ended: end }) };
}

const ENDS = ['completed', 'aborted', 'failed', 'limit'] as const;

/** Epochs are counted one by one: no real log reaches this number. */
const EPOCHS_MAX = 2 ** 31;

/** True if the next epoch of the log would leave no room for further epochs. */
function isBeyondEpochs({ run_id, records }: Batch): boolean {
  return run_id === SYSTEM && records.some((text) => (JSON.parse(text) as LedgerRecord).epoch > EPOCHS_MAX);
}

/** The row in its admitted form; undefined where it is refused. */
async function admitted(row: TableWrite, stamp: string): Promise<TableWrite | undefined> {
  const value = row.value === undefined ? undefined : await ADMIT[row.table](row.key, row.value, stamp);
  return value === undefined ? undefined : { table: row.table, key: row.key, value };
}

type Admit = (
  key: string,
  value: TableValue,
  stamp: string,
) => TableValue | undefined | Promise<TableValue | undefined>;

const ADMIT: { readonly [T in TableName]: Admit } = { kept: keptValue, files: fileValue, symbols: symbolValue };

const ALL: readonly Label[] = ['private', 'untrusted'];

/**
 * A value that a capability stored. A reader of it has read foreign text, so it gets all labels. The heap of a foreign
 * call never wakes.
 */
function keptValue(key: string, value: TableValue): TableValue | undefined {
  if (LABEL_ROW.test(key)) return { text: 'null', labels: ALL };
  const { text, run, held, source } = Object(value) as Partial<StoredValue & SourceRow>;
  if (SOURCE_WORDS.some((word) => typeof source === 'string' && key === sourceKey(source, word)))
    return { text: 'null', labels: ALL, source: source as string };
  if (!OWN_ROW.test(key) || key.length > KEY_UNITS || typeof text !== 'string') return undefined;
  const bytes = encodeText(text.toWellFormed());
  if (bytes.length > KEPT_LIMITS.valueBytes || !decode(bytes).ok) return undefined;
  return { text, labels: ALL, ...(isUuid4(run) && { run }), ...(held === true && { held }) };
}

/**
 * Adds the label rows of each name whose values are among these rows: which keys are there is the choice of the file's
 * author, also beside values of this log. A value that a held call has put marks its store.
 */
function withLabelRows(rows: readonly TableWrite[]): readonly TableWrite[] {
  const keys = new Set(
    rows.flatMap(({ table, key, value }) => {
      if (table !== 'kept' || !key.startsWith(OWN_ROWS)) return [];
      const { held } = Object(value) as Partial<StoredValue>;
      return (held ? LABEL_ROWS : ['known']).map((word) => `${labelPrefix(nameIn(key))}${word}`);
    }),
  );
  for (const { table, key } of rows) if (table === 'kept') keys.delete(key);
  const added = [...keys].map((key): TableWrite => ({ table: 'kept', key, value: { text: 'null', labels: ALL } }));
  return [...rows, ...added];
}

/** The capability that a value belongs to: no name has a slash. */
function nameIn(key: string): string {
  return key.slice(OWN_ROWS.length, key.indexOf('/', OWN_ROWS.length));
}

/** Keys of the label rows of a capability. */
const LABEL_ROW = new RegExp(`^${labelPrefix('[A-Za-z0-9._-]{1,64}')}(?:${LABEL_ROWS.join('|')})$`);

const OWN_ROW = new RegExp(`^${OWN_ROWS}[A-Za-z0-9._-]{1,64}/`);
const KEY_UNITS = OWN_ROWS.length + 64 + 1 + KEPT_LIMITS.keyUnits;

/**
 * A file under its own hashes, with sections that are computed here. An id covers no heading, so a foreign table could
 * give the text of a section the heading of another section. The hash of the original bytes cannot be checked, and
 * would keep out the true file of that hash; the packs that the stamp names cannot be checked either.
 */
async function fileValue(path: string, value: TableValue, stamp: string): Promise<TableValue | undefined> {
  if (path === STAMP) return stamp;
  const { text, content_hash } = Object(value) as Partial<FileRow>;
  if (!checkPath(path).ok || !(text instanceof Uint8Array)) return undefined;
  const source_hash = await digest(text);
  const filed = content_hash === source_hash ? await fileOf(path, text, source_hash) : undefined;
  // the index never stores text with other line ends
  if (filed?.ok !== true || filed.value.entry.content_hash !== content_hash) return undefined;
  return { source_hash, content_hash, text, sections: filed.value.entry.sections };
}

/** A symbol as `define` takes it. Names of capabilities are defined by their registration. */
function symbolValue(key: string, value: TableValue): TableValue | undefined {
  const row = isObject(value) ? readSymbol(value as JsonValue) : undefined;
  if (row?.ok !== true || row.value.symbol_id !== key || key.startsWith(toolSymbol(''))) return undefined;
  return { ...row.value };
}
