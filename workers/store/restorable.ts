import { hashBytes, hashText, isHash, sha256Hex } from '../../core/hash.ts';
import { NO_RECORDS, type RunHead } from '../../core/ledger/chain.ts';
import { alteredParts, type ReadRecord, readRecord } from '../../core/ledger/line.ts';
import { type Frontier, push, rootOf } from '../../core/ledger/tree.ts';
import type { Entry } from './journal/frame.ts';
import type { Batch } from './store.ts';
import type { TableWrite } from './tables.ts';

/** Verifies a log batch by batch, until the first wrong hash. */
interface Follower {
  readonly log: Frontier;
  /** The batch, if it is the next batch of the log; payloads that do not match their hash are left out. */
  take(batch: Batch): Batch | undefined;
}

export function follower(from: Frontier, heads: ReadonlyMap<string, RunHead>): Follower {
  const ends = new Map(heads);
  let log = from;
  return {
    get log() {
      return log;
    },
    take(batch) {
      const next = batch.seq === log.size ? followed(log, batch, ends) : undefined;
      if (next === undefined) return undefined;
      log = next;
      ends.set(batch.run_id, { records: batch.after.run.records, head: batch.after.run.head });
      return { ...batch, payloads: batch.payloads.filter((each) => isNamed(each, batch)) };
    },
  };
}

/** The log behind this batch; undefined if the batch contradicts its hashes, its run or its own end. */
function followed(log: Frontier, batch: Batch, heads: ReadonlyMap<string, RunHead>): Frontier | undefined {
  const before = heads.get(batch.run_id) ?? NO_RECORDS;
  const hashes = batch.gone ?? linkedHashes(batch, before);
  if (hashes === undefined || hashes.length === 0 || !hashes.every(isHash)) return undefined;
  const { run } = batch.after;
  if (batch.run_seq !== before.records || run.records !== before.records + hashes.length) return undefined;
  const end = hashes.reduce((frontier, hash) => push(frontier, hashBytes(hash)), log);
  const told = batch.after.log;
  if (told.size !== end.size || hashText(rootOf(told)) !== hashText(rootOf(end))) return undefined;
  return run.head === hashes.at(-1) ? end : undefined;
}

/** Hashes of records that continue a run from this head; undefined where a hash or a link is wrong. */
export function linkedHashes(
  { run_id, records }: Pick<Batch, 'run_id' | 'records'>,
  head: RunHead,
): string[] | undefined {
  let { records: run_seq, head: prev } = head;
  const lines: ReadRecord[] = [];
  for (const text of records) {
    const read = readRecord(text);
    if (typeof read === 'string') return undefined;
    const { record } = read;
    if (record.run_id !== run_id || record.run_seq !== run_seq || record.prev !== prev) return undefined;
    lines.push(read);
    run_seq += 1;
    prev = record.hash;
  }
  return alteredParts(lines).every((part) => part === undefined) ? lines.map(({ record }) => record.hash) : undefined;
}

/**
 * True for a payload that matches its hash. Of a proposal over the size limit only the beginning is stored, which has
 * another hash.
 */
export function isNamed({ sha256, bytes }: Batch['payloads'][number], { records }: Pick<Batch, 'records'>): boolean {
  return (
    sha256Hex(bytes) === sha256 ||
    records.some((text) => text.includes(`"sha256":"${sha256}"`) && text.includes(`"kept":${bytes.length},`))
  );
}

/** The last value of each row over all files. */
export function lastRows(entries: readonly Entry[]): readonly TableWrite[] {
  const rows = new Map<string, TableWrite>();
  // the parts of a change may come in any order; the `whole` part clears the table and comes first
  const isFirst = ({ whole }: Entry) => (whole ? 0 : 1);
  const inTime = entries.toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0) || isFirst(one) - isFirst(other));
  for (const { tables, whole } of inTime) {
    if (whole) rows.clear();
    for (const row of tables) rows.set(JSON.stringify([row.table, row.key]), row);
  }
  return [...rows.values()].filter(({ value }) => value !== undefined);
}
