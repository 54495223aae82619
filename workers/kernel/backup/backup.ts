import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { concatBytes } from '../../../core/json/utf8.ts';
import { extend, NO_RECORDS } from '../../../core/ledger/chain.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type Entry, encodeFrame } from '../../store/journal/frame.ts';
import { logPages } from '../../store/paging.ts';
import { eachRows } from '../../store/rows.ts';
import { type Batch, EMPTY_LOG, type Exchange, type LedgerStore, nextBatch, type Pages } from '../../store/store.ts';
import { SYSTEM } from '../../store/system-log.ts';
import { asForeign, foreignBatch } from './rows.ts';
import { type BackupProgress, indexBackup, pageCount, pagesOf, type VerifiedLog, verify } from './scan.ts';

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
  const pages = withLast(asForeign(pagesOf(backup, read.value, 0)), noted.value);
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

/** Pages, and behind them a page with this batch. */
function withLast(pages: Pages, batch: Batch): Pages {
  let isGiven = false;
  return async (nth) => {
    isGiven &&= nth > 0;
    const page = await pages(nth);
    if (page !== undefined || isGiven) return page;
    isGiven = true;
    return { batches: [batch], tables: [] };
  };
}
