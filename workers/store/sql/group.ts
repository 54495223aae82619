import type { Append } from '../store.ts';
import type { EncodedRow } from './frames.ts';

/** Writes of a transaction: as many, and of so many bytes. Other processes wait for its locks. */
const GROUP = 256;
const GROUP_BYTES = 4_194_304;

/** Size of work that shares no transaction. */
export const ALONE: number = Number.POSITIVE_INFINITY;

/** Number of the writes of these sizes, in bytes, that share a transaction, counted from the first: at least one. */
export function groupSize(sizes: Iterable<number>): number {
  let [count, bytes] = [0, 0];
  for (const size of sizes) {
    bytes += size;
    if (count === GROUP || (count > 0 && bytes > GROUP_BYTES)) break;
    count++;
  }
  return count;
}

/** Bytes and UTF-16 units of an append. */
export function bytesOf({ records, payloads }: Append, rows: readonly EncodedRow[]): number {
  const texts = records.reduce((sum, { text }) => sum + text.length, 0);
  const bytes = payloads.reduce((sum, payload) => sum + payload.bytes.length, 0);
  return rows.reduce((sum, { key, frame }) => sum + key.length + (frame?.length ?? 0), texts + bytes);
}
