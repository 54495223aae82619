import { hashText, rootOf } from '../../core/index.ts';
import type { Entry } from '../journal/frame.ts';
import { type Batch, EMPTY_LOG } from '../store.ts';

/** How long a log was, and over what. */
export interface Seen {
  readonly size: number;
  readonly root: string;
}

/** What is in a mirror, as far as it must be known while it is written. */
export interface Contents {
  /** Places in the log of whose batches it has a copy. */
  readonly has: ReadonlySet<number>;
  /** The longest log of which it has the end. */
  readonly end: Seen;
  /** There are rows beside the log. */
  readonly rows: boolean;
}

export const NOTHING: Contents = { has: new Set(), end: { size: 0, root: hashText(rootOf(EMPTY_LOG)) }, rows: false };

/** How much a batch holds: of two for one place, the lighter one is what was left of the other. */
export function weightOf({ records, payloads }: Batch): number {
  const texts = records.reduce((sum, text) => sum + text.length, 0);
  return payloads.reduce((sum, { bytes }) => sum + bytes.length + 1, texts);
}

/** Contents that grow with what is noted. */
export interface Growing {
  readonly contents: Contents;
  note(entry: Entry): void;
  /** True if somewhere less was left of this batch. */
  isStale(batch: Batch): boolean;
  /** True if of anything there is more in one place and less in another. */
  readonly uneven: boolean;
}

export function makeContents(): Growing {
  const has = new Set<number>();
  const weights = new Map<number, number>();
  let uneven = false;
  let log = EMPTY_LOG;
  let rows = false;
  return {
    contents: {
      has,
      get end() {
        return { size: log.size, root: hashText(rootOf(log)) };
      },
      get rows() {
        return rows;
      },
    },
    get uneven() {
      return uneven;
    },
    isStale: (batch) => weightOf(batch) > (weights.get(batch.seq) ?? 0),
    note({ batch, tables }) {
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
