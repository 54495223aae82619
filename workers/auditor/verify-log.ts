import { refuse } from '../../core/errors/ledger.ts';
import { hashText, isHash } from '../../core/hash.ts';
import { type Checkpoint, parseCheckpoint } from '../../core/ledger/checkpoint.ts';
import { type Finding, finding } from '../../core/ledger/export.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { readRecord } from '../../core/ledger/line.ts';
import { type LedgerRecord, NO_PREV } from '../../core/ledger/record.ts';
import { merkleRootOf } from '../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { LogReport, RunRow } from '../api.ts';
import { logPages } from '../store/paging.ts';
import type { LedgerStore, LogHead, UnreadRows } from '../store/store.ts';
import { SYSTEM } from '../store/system-log.ts';

/** Result for a log; the auditor checks each of its runs. */
export interface LogCheck extends Pick<LogReport, 'size' | 'root' | 'problems' | 'unreadBytes'> {
  readonly rows: readonly Pick<RunRow, 'run_id' | 'records' | 'head'>[];
}

/**
 * Checks a local log. Its batches must form a log without a gap, whose tree is the stored tree, and the log of the
 * checkpoint must be its beginning. The log is checked as it stood at the call: records that a run adds meanwhile are
 * only counted.
 */
export async function checkLog(store: LedgerStore, checkpoint?: string): Promise<Outcome<LogCheck>> {
  const snapshot = await store.snapshot();
  if (!snapshot.ok) return snapshot;
  const records = await placesOf(store);
  if (!records.ok) return records;
  const now = await store.head();
  if (!now.ok) return now;
  const { size, root, runs } = snapshot.value;
  const { log, events } = records.value;
  const places = byRun(log);
  const { unreadBytes = 0 } = store;
  const unread = (await store.unreadRows?.()) ?? pass({ places: [], count: 0 });
  if (!unread.ok) return unread;
  const problems = [
    ...unreadFindings(log, unreadBytes),
    ...unreadRowFindings(unread.value),
    ...treeFindings(log, snapshot.value, now.value),
    ...runFindings(places, events),
    ...(checkpoint === undefined ? [] : checkpointFindings(log, places, checkpoint)),
  ];
  return pass({
    size,
    root: hashText(root),
    problems,
    unreadBytes,
    rows: runs.map(({ run_id, records: count, head }) => ({ run_id, records: count, head })),
  });
}

/** The log to be published: size and root, and the hash of each record. */
export interface LogHashes {
  readonly size: number;
  readonly root: string;
  readonly hashes: readonly string[];
}

/** Reads the hashes of a log that has no gap and the stored root. `chain_broken` */
export async function logHashes(store: LedgerStore): Promise<Outcome<LogHashes>> {
  const snapshot = await store.snapshot();
  if (!snapshot.ok) return snapshot;
  const records = await placesOf(store);
  if (!records.ok) return records;
  const now = await store.head();
  if (!now.ok) return now;
  const { log } = records.value;
  if (treeFindings(log, snapshot.value, now.value).length > 0)
    return refuse('chain_broken', { what: 'its records do not have its root' });
  const { size, root } = snapshot.value;
  return pass({ size, root: hashText(root), hashes: log.slice(0, size).map(({ hash }) => hash) });
}

/** A record's place in the log, and its hash. */
interface RecordPlace {
  readonly run_id: string;
  readonly seq: number;
  readonly hash: string;
}

/** Places of the records of each run. */
type RecordPlaces = ReadonlyMap<string, readonly RecordPlace[]>;

/** Records of a log by place, and the events it recorded about itself. */
interface LogRecords {
  readonly log: readonly RecordPlace[];
  readonly events: readonly LogBody[];
}

/**
 * Reads the places of all records. The hashes of a deleted run stay: the tree is the same, and so is its checkpoint.
 */
async function placesOf(store: LedgerStore): Promise<Outcome<LogRecords>> {
  const log: RecordPlace[] = [];
  const events: LogBody[] = [];
  for await (const page of logPages(store)) {
    if (!page.ok) return page;
    for (const { seq, run_id, records, gone } of page.value) {
      const hashes = gone?.map((hash) => (isHash(hash) ? hash : NO_PREV)) ?? records.map(hashIn);
      log.push(...hashes.map((hash, nth) => ({ run_id, seq: seq + nth, hash })));
      if (run_id === SYSTEM) events.push(...records.flatMap(eventIn));
    }
  }
  return pass({ log, events });
}

/** The hash that a stored text names; `NO_PREV` where it names none. */
export function hashIn(text: string): string {
  try {
    const { hash } = JSON.parse(text) as LedgerRecord;
    return isHash(hash) ? hash : NO_PREV;
  } catch {
    return NO_PREV;
  }
}

function eventIn(text: string): readonly LogBody[] {
  const line = readRecord(text);
  return typeof line !== 'string' && line.record.kind === 'log' ? [line.record.body] : [];
}

/** Checks archived and deleted runs: each had the recorded length and head, unless the log has lost records. */
function runFindings(places: RecordPlaces, events: readonly LogBody[]): Finding[] {
  const heads = events.flatMap((each) =>
    'head' in each ? [{ run_id: each.run, count: each.records, head: each.head }] : [],
  );
  return events.some(({ event }) => event === 'lost') ? [] : headFindings(places, heads);
}

/** A write that was cut off leaves bytes behind its log. Bytes without a log may have been all of it. */
function unreadFindings(log: readonly RecordPlace[], bytes: number): Finding[] {
  return bytes === 0 || log.length > 0 ? [] : [broken(0, `no record can be read, and ${bytes} bytes cannot`)];
}

/** A row that is no batch is damage at the place that it claims. */
function unreadRowFindings({ places, count }: UnreadRows): Finding[] {
  const found = places.map(({ place, bytes }) =>
    broken(place, `the row at place ${place} is no batch (${bytes} bytes)`),
  );
  const more = count - places.length;
  return more > 0 ? [...found, broken(0, `${more} more rows are no batches`)] : found;
}

/** Compares the tree over the stored records with the tree that was kept as they were written. */
function treeFindings(log: readonly RecordPlace[], { size, root }: LogHead, now: LogHead): Finding[] {
  const gap = log.findIndex(({ seq }, place) => seq !== place);
  if (gap >= 0) return [broken(gap, `the log has no record at its place ${gap}`)];
  const count = log.length < size ? size : now.size;
  if (log.length < size || log.length > now.size)
    return [broken(log.length, `the log has ${log.length} records, and kept count of ${count}`)];
  return rootOf(log.slice(0, size)) === hashText(root) ? [] : [broken(size, 'the log keeps another root')];
}

/** Compares a checkpoint with the beginning of the log: no record cut off, no run deleted, none rewritten. */
function checkpointFindings(log: readonly RecordPlace[], places: RecordPlaces, text: string): Finding[] {
  const note = parseCheckpoint(text);
  if (!note.ok) return [disagrees(0, note.refusal.message)];
  const { size, root, runs: lines } = note.value.checkpoint;
  if (size > log.length) return [disagrees(log.length, `it was taken at ${size} records, the log has ${log.length}`)];
  const [other] = headFindings(places, lines);
  if (other !== undefined) return [other];
  const same = rootOf(log.slice(0, size)) === root;
  return same ? [] : [disagrees(size, `its first ${size} records are others`)];
}

/** Noted heads that differ from the heads of the log. */
function headFindings(places: RecordPlaces, noted: Checkpoint['runs']): Finding[] {
  return noted
    .filter(({ run_id, count, head }) => places.get(run_id)?.[count - 1]?.hash !== head)
    .map(({ run_id, count }) => disagrees(count, `run ${run_id} is not what it was at ${count} records`));
}

function rootOf(log: readonly RecordPlace[]): string {
  return hashText(merkleRootOf(log.map(({ hash }) => hash)));
}

function broken(place: number, what: string): Finding {
  return finding(place, 'chain_broken', { what });
}

function disagrees(place: number, what: string): Finding {
  return finding(place, 'anchor_disagrees', { what });
}

function byRun(log: readonly RecordPlace[]): RecordPlaces {
  const runs = new Map<string, RecordPlace[]>();
  for (const place of log) {
    const run = runs.get(place.run_id);
    if (run === undefined) runs.set(place.run_id, [place]);
    else run.push(place);
  }
  return runs;
}
