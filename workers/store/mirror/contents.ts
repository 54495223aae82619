import { hashText } from '../../../core/hash.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { makeFrameUsage, needsCompaction, weightOf } from '../journal/compaction.ts';
import type { Entry } from '../journal/frame.ts';
import { type Batch, EMPTY_LOG } from '../store.ts';

/** Size and root of a log. */
export interface LogExtent {
  readonly size: number;
  readonly root: string;
}

/** Facts about a mirror that its writer needs. */
export interface Contents {
  /** Places in the log whose batches the mirror has. */
  readonly has: ReadonlySet<number>;
  /** End of the longest log in the mirror. */
  readonly end: LogExtent;
  /** The mirror has rows beside the log. */
  readonly rows: boolean;
  /** Much of it is garbage, or it still holds erased content: it should be rewritten. */
  readonly due: boolean;
}

export const NOTHING: Contents = {
  has: new Set(),
  end: { size: 0, root: hashText(rootOf(EMPTY_LOG)) },
  rows: false,
  due: false,
};

/** Contents that grow with each noted entry. */
export interface ContentsBuilder {
  readonly contents: Contents;
  note(entry: Entry, length?: number): void;
  /** Counts bytes of garbage. */
  waste(length: number): void;
  /** True if another copy of this batch has less content, because it was erased there. */
  isStale(batch: Batch): boolean;
  /** True if two places hold different amounts of the same batch. */
  readonly uneven: boolean;
}

export function makeContents(): ContentsBuilder {
  const has = new Set<number>();
  const weights = new Map<number, number>();
  let uneven = false;
  let log = EMPTY_LOG;
  let rows = false;
  const usage = makeFrameUsage();
  let size = 0;
  return {
    contents: {
      has,
      get end() {
        return { size: log.size, root: hashText(rootOf(log)) };
      },
      get rows() {
        return rows;
      },
      get due() {
        return needsCompaction(usage, size);
      },
    },
    waste(length) {
      size += length;
    },
    get uneven() {
      return uneven;
    },
    isStale: (batch) => weightOf(batch) > (weights.get(batch.seq) ?? 0),
    note(entry, length = 0) {
      const { batch, tables } = entry;
      usage.note(entry, length);
      size += length;
      rows ||= tables.length > 0;
      if (batch === undefined) return;
      has.add(batch.seq);
      const weight = weightOf(batch);
      const other = weights.get(batch.seq) ?? weight;
      uneven ||= weight !== other;
      weights.set(batch.seq, Math.min(weight, other));
      if (batch.after.log.size > log.size) log = batch.after.log;
    },
  };
}
