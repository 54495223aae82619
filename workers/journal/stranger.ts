import { decodeUtf8, isObject } from '../../core/index.ts';
import { TABLES } from '../tables.ts';
import { decodeBody, type Entry, type FrameState } from './frame.ts';

/** A stranger's frame, if it is one that we could have written: its check sum is anybody's to make. */
export function strangersEntry(body: Uint8Array, state: FrameState): Entry | undefined {
  try {
    return isSound(body) ? decodeBody(body, state) : undefined;
  } catch {
    // nested beyond the stack, or bytes that are no text
    return undefined;
  }
}

/** Every length it tells of is there and no more, so that nothing is made for bytes that never come. */
function isSound(body: Uint8Array): boolean {
  if (body.length < 4) return false;
  const from = 4 + new DataView(body.buffer, body.byteOffset).getUint32(0, true);
  const meta: unknown = JSON.parse(decodeUtf8(body.subarray(4, from)) ?? '');
  if (!isObject(meta)) return false;
  const { batch, tables = [], bytes = [] } = meta;
  const lengths = [batch === undefined ? [] : lengthsOf(batch), bytes].flat();
  if (!lengths.every(isCount) || !Array.isArray(tables) || !tables.every(isRow)) return false;
  return lengths.reduce((sum, length) => sum + length, from) === body.length;
}

/** A frontier of more peaks than bits has a log that nobody can write. */
const PEAKS_MAX = 64;

function lengthsOf(batch: unknown): readonly unknown[] {
  if (!isObject(batch) || !isCount(batch.peaks) || batch.peaks > PEAKS_MAX || !isRunRow(batch)) return [undefined];
  const { seq, run_seq, size, records, payloads, peaks } = batch;
  if (![seq, run_seq, size].every(isCount) || !Array.isArray(records) || !Array.isArray(payloads)) return [undefined];
  return [
    32 * peaks,
    ...(records as readonly unknown[]),
    ...payloads.map((each: unknown) => (isNamed(each) ? each[1] : undefined)),
  ];
}

function isNamed(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && typeof value[0] === 'string';
}

/** What lists of runs are made of. */
function isRunRow({ run_id, row }: { readonly [name: string]: unknown }): boolean {
  if (!isObject(row) || row.run_id !== run_id || !isCount(row.records) || !isCount(row.at)) return false;
  return typeof row.dialect === 'string' && row.dialect.length <= 32 && typeof row.sealed === 'boolean';
}

function isRow(row: unknown): boolean {
  return Array.isArray(row) && TABLES.some((table) => table === row[0]) && typeof row[1] === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
