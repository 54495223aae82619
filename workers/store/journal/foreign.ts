import { isHash } from '../../../core/hash.ts';
import { isCount, isObject } from '../../../core/json/value.ts';
import { TABLES } from '../tables.ts';
import {
  type BytesMode,
  type CountedEnd,
  decodeBody,
  decodeEnd,
  type Entry,
  type ReadMeta,
  readMeta,
} from './frame.ts';
import { type FrameState, META_AT } from './header.ts';

/**
 * Entry of a foreign frame, if a ledger could have written it. A check sum proves no origin: any author can compute it.
 */
export function foreignEntry(body: Uint8Array, state: FrameState, bytes?: BytesMode): Entry | undefined {
  return ifSound(body, (read) => decodeBody(body, state, bytes, read));
}

/** End of the batch in a foreign frame, if a ledger could have written the frame. */
export function foreignEnd(body: Uint8Array): CountedEnd | undefined {
  return ifSound(body, (read) => decodeEnd(body, read));
}

function ifSound<T>(body: Uint8Array, decode: (read: ReadMeta) => T): T | undefined {
  try {
    const read = body.length < META_AT ? undefined : readMeta(body);
    return read && isSound(read, body.length) ? decode(read) : undefined;
  } catch {
    // nested beyond the stack, or bytes that are no text
    return undefined;
  }
}

/** True if the lengths named in the frame add up to its size, so that no memory is reserved for absent bytes. */
function isSound({ meta, end }: ReadMeta, size: number): boolean {
  if (!isObject(meta)) return false;
  const { batch, tables = [], bytes = [] } = meta;
  const lengths = [batch === undefined ? [] : lengthsOf(batch), bytes].flat();
  if (!lengths.every(isCount) || !Array.isArray(tables) || !tables.every(isRow)) return false;
  return lengths.reduce((sum, length) => sum + length, end) === size;
}

function lengthsOf(batch: unknown): readonly unknown[] {
  if (!isObject(batch) || !isCount(batch.size) || batch.peaks !== peaksOf(batch.size) || !isRunRow(batch))
    return [undefined];
  const { seq, run_seq, records, payloads, peaks, gone = [] } = batch;
  if (![seq, run_seq].every(isCount) || !Array.isArray(records) || !Array.isArray(payloads)) return [undefined];
  if (!Array.isArray(gone) || !gone.every(isHash)) return [undefined];
  return [
    32 * (peaks as number),
    ...(records as readonly unknown[]),
    ...payloads.map((each: unknown) => (isNamed(each) ? each[1] : undefined)),
  ];
}

/** Number of peaks of a tree over `size` records: a peak for each bit set in that number. */
function peaksOf(size: number): number {
  return size.toString(2).replaceAll('0', '').length;
}

function isNamed(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && typeof value[0] === 'string';
}

/** True for a row that a list of runs can show. */
function isRunRow({ run_id, row }: { readonly [name: string]: unknown }): boolean {
  if (!isObject(row) || row.run_id !== run_id || !isCount(row.records) || !isCount(row.at)) return false;
  if (typeof run_id !== 'string' || typeof row.head !== 'string' || typeof row.sealed !== 'boolean') return false;
  return typeof row.dialect === 'string' && row.dialect.length <= 32;
}

function isRow(row: unknown): boolean {
  return Array.isArray(row) && TABLES.some((table) => table === row[0]) && typeof row[1] === 'string';
}
