import { hashText, rootOf } from '../../core/index.ts';
import type { Entry } from '../journal/frame.ts';
import { EMPTY_LOG } from '../store.ts';

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

/** Contents that grow with what is noted. */
export function makeContents(): { readonly contents: Contents; note(entry: Entry): void } {
  const has = new Set<number>();
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
    note({ batch, tables }) {
      rows ||= tables.length > 0;
      if (batch === undefined) return;
      has.add(batch.seq);
      if (batch.after.log.size > log.size) log = batch.after.log;
    },
  };
}
