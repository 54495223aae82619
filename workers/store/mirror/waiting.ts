import type { PendingBatch } from '../store.ts';
import type { TableWrite } from '../tables.ts';

/** Content of a private file that waits for its place in the index. */
export interface Waiting {
  readonly file: string;
  /** Offset in the file behind this content. */
  readonly end: number;
  readonly batch?: PendingBatch;
  /** Hashes of the batch's records, and of the record before them. A batch of another kernel has none: it is verified. */
  readonly links?: { readonly prev: string; readonly hashes: readonly string[] };
  /** The batch is the remainder of an erased batch, which it replaces. */
  readonly less?: true | undefined;
  readonly tables: readonly TableWrite[];
  /** The rows are the complete table contents. */
  readonly whole?: true;
  /** Time of the write, in ms. */
  readonly at: number;
  /** Content of a fill page by page: the offset of its file stays until the fill is complete. */
  readonly isPart?: true;
}
