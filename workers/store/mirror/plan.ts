import { isHash } from '../../../core/hash.ts';
import { NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import type { BatchOrder } from '../journal/frame.ts';
import { type Batch, leavesOf, type PendingBatch, placeBatch } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { isNamed, linkedHashes } from './restorable.ts';
import type { Waiting } from './waiting.ts';
import { inWritingOrder } from './writing-order.ts';

/** Ends of the log and of the runs, as the index has them. */
export interface IndexEnds {
  readonly log: Frontier;
  readonly runs: ReadonlyMap<string, RunRow>;
  /** Head of the run behind a batch of the index, for batches that this kernel wrote and that are not at the end. */
  readonly heads: ReadonlyMap<PendingBatch, string>;
}

/** Changes of the index that take waiting content in. */
export interface IndexPlan {
  readonly log: Frontier;
  readonly batches: readonly Batch[];
  readonly order: BatchOrder;
  /** Remainders of erased batches, which replace the batches in the index. */
  readonly less: readonly PendingBatch[];
  readonly rows: readonly TableWrite[];
  /** All tables are emptied before the rows are written. */
  readonly clears: boolean;
  /** For each file, the offset up to which the index has its content. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Runs with a batch that contradicts the batch in the index. */
  readonly forked: ReadonlySet<string>;
  /** Content that enters the index now. */
  readonly taken: readonly Waiting[];
  /** Batches behind a gap of their run. */
  readonly left: ReadonlySet<Waiting>;
}

/** Plans how the waiting content enters the index, in the given order; a batch whose predecessor is absent stays out. */
export function planPlaces(ends: IndexEnds, waiting: readonly Waiting[]): IndexPlan {
  const { batches, less, taken, left, forked } = placeEach(ends, waiting);
  const hasRows = taken.some(({ tables, whole }) => whole || tables.length > 0);
  const inTime = hasRows ? inWritingOrder(taken) : [];
  const start = inTime.findLastIndex(({ whole }) => whole);
  return {
    log: batches.at(-1)?.after.log ?? ends.log,
    batches,
    order: batches.map(({ run_id, run_seq, after }) => [run_id, run_seq, after.run.records - run_seq] as const),
    less,
    rows: inTime.slice(Math.max(0, start)).flatMap(({ tables }) => tables),
    clears: start >= 0,
    offsets: offsetsOf(waiting, left),
    forked,
    taken,
    left,
  };
}

type Places = Pick<IndexPlan, 'batches' | 'less' | 'forked' | 'taken' | 'left'>;

function placeEach({ log: from, runs, heads }: IndexEnds, waiting: readonly Waiting[]): Places {
  const ends = new Map<string, RunHead>();
  const [forked, left] = [new Set<string>(), new Set<Waiting>()];
  const [batches, less, taken]: [Batch[], PendingBatch[], Waiting[]] = [[], [], []];
  let log = from;
  for (const each of waiting) {
    const { batch } = each;
    const end = (batch && (ends.get(batch.run_id) ?? runs.get(batch.run_id))) ?? NO_RECORDS;
    if (batch === undefined) taken.push(each);
    else if (each.less && batch.run_seq < end.records) {
      less.push(batch);
      taken.push(each);
    } else if (batch.run_seq < end.records) {
      if (heads.has(batch) && heads.get(batch) !== batch.run.head) forked.add(batch.run_id);
    } else if (batch.run_seq > end.records) {
      if (!forked.has(batch.run_id)) left.add(each);
    } else {
      const hashes = hashesBehind(each, end);
      if (hashes === undefined) forked.add(batch.run_id);
      else {
        const placed = placeBatch(withNamed(batch, each), log, leavesOf(hashes));
        log = placed.after.log;
        batches.push(placed);
        ends.set(batch.run_id, batch.run);
        taken.push(each);
      }
    }
  }
  return { batches, less, taken, left, forked };
}

/** Hashes of a batch that continues a run; undefined where it does not. */
function hashesBehind({ batch, links }: Waiting, end: RunHead): readonly string[] | undefined {
  if (links !== undefined) return links.prev === end.head ? links.hashes : undefined;
  if (batch === undefined) return undefined;
  const hashes = batch.gone ?? linkedHashes(batch, end);
  const isRight = hashes?.every(isHash) && hashes.length > 0 && hashes.at(-1) === batch.run.head;
  return isRight && batch.run.records === end.records + hashes.length ? hashes : undefined;
}

/** The batch without payloads that do not match their hash; a batch of this kernel has none. */
function withNamed(batch: PendingBatch, { links }: Waiting): PendingBatch {
  if (links !== undefined) return batch;
  return { ...batch, payloads: batch.payloads.filter((each) => isNamed(each, batch)) };
}

/** Ends before the first content that stays out, so that it is read again. */
export function offsetsOf<T extends Pick<Waiting, 'file' | 'end' | 'isPart'>>(
  waiting: readonly T[],
  left: ReadonlySet<unknown>,
): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const stopped = new Set<string>();
  for (const each of waiting.toSorted((one, other) => one.end - other.end)) {
    if (each.isPart) continue;
    if (left.has(each)) stopped.add(each.file);
    if (!stopped.has(each.file)) offsets.set(each.file, each.end);
  }
  return offsets;
}
