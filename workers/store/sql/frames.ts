// Every value of a database may be an attacker's: it is returned only in the form that a ledger writes.

import { foreignEnd, foreignEntry } from '../journal/foreign.ts';
import { type CountedEnd, encodeFrame } from '../journal/frame.ts';
import { decodeHeader, type FrameState, HEADER, isWhole } from '../journal/header.ts';
import type { Batch, BatchEnd, StoredPayload } from '../store.ts';
import type { TableName, TableRow, TableValue, TableWrite } from '../tables.ts';

/**
 * Frame of a batch. Its payloads stand in rows of their own.
 *
 * @experimental
 */
export function encodeBatch(batch: Batch): Uint8Array {
  return encodeFrame({ batch: { ...batch, payloads: [] }, tables: [] });
}

/**
 * The batch in a row of `batch`, without its payloads. Throws `AlteredData`.
 *
 * @experimental
 */
export function decodeBatch(row: SqlRow): Batch {
  const batch = inFrame(row['frame'], (body, state) => foreignEntry(body, state)?.batch);
  if (batch === undefined) throw absent(row);
  checkPlace(row, { ...batch, count: (batch.gone ?? batch.records).length });
  return batch;
}

/** The end of the batch in a row of `batch`. Its records are not read. Throws `AlteredData`. */
export function decodeBatchEnd(row: SqlRow): BatchEnd {
  const end = inFrame(row['frame'], foreignEnd);
  if (end === undefined) throw absent(row);
  checkPlace(row, end);
  const { seq, run_id, run_seq, after } = end;
  return { seq, run_id, run_seq, after };
}

function absent({ seq }: SqlRow): AlteredData {
  return new AlteredData(`has no batch at place ${String(seq)}`);
}

/** Throws `AlteredData` for the end of a batch that belongs into another row. */
function checkPlace({ seq, run_id, run_seq }: SqlRow, end: CountedEnd): void {
  const { log, run } = end.after;
  const isHere = end.seq === seq && end.run_id === run_id && end.run_seq === run_seq;
  if (!isHere || log.size !== end.seq + end.count || run.records !== end.run_seq + end.count)
    throw new AlteredData(`has a batch of another place at place ${String(seq)}`);
}

/** The payload in a row of `payload`. Throws `AlteredData`. */
export function decodePayload({ sha256, bytes }: SqlRow): StoredPayload {
  if (typeof sha256 !== 'string') throw new AlteredData('has a payload without a hash');
  return { sha256, bytes: bytesIn(bytes) };
}

/** The bytes of a column. Throws `AlteredData`. */
export function bytesIn(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new AlteredData('has a payload that is no bytes');
  return plain(value);
}

/**
 * Frame of a row. Throws `DataCloneError` for a value that cannot be stored.
 *
 * @experimental
 */
export function encodeRow({ table, key, value }: TableWrite): Uint8Array {
  return encodeFrame({ tables: [{ table, key, value: structuredClone(value) }] });
}

/** A row as a database keeps it; without a frame it is deleted. */
export interface EncodedRow {
  readonly kind: TableName;
  readonly key: Uint8Array;
  readonly frame: Uint8Array | undefined;
}

/** Throws `DataCloneError` for a value that cannot be stored. */
export function encodeWrite(write: TableWrite): EncodedRow {
  const { table: kind, key, value } = write;
  return { kind, key: encodeKey(key), frame: value === undefined ? undefined : encodeRow(write) };
}

/**
 * Key and value in a row of this table. Throws `AlteredData`.
 *
 * @experimental
 */
export function decodeRow(table: TableName, { key, frame }: SqlRow): TableRow {
  const name = decodeKey(key);
  const row = inFrame(frame, foreignEntry)?.tables[0];
  if (row === undefined || row.table !== table || row.key !== name || row.value === undefined)
    throw new AlteredData(`has no row of the table ${table} under ${JSON.stringify(name)}`);
  return [name, row.value as TableValue];
}

/**
 * A key in UTF-16, big-endian: a database compares bytes, and the tables compare UTF-16 units.
 *
 * @experimental
 */
export function encodeKey(key: string): Uint8Array {
  return Buffer.from(key, 'utf16le').swap16();
}

function decodeKey(key: unknown): string {
  if (!(key instanceof Uint8Array) || key.length % 2 > 0) throw new AlteredData('has a row without a key');
  return Buffer.from(key).swap16().toString('utf16le');
}

/** Decodes the body of a live frame; undefined for other bytes. */
function inFrame<T>(frame: unknown, decode: (body: Uint8Array, state: FrameState) => T): T | undefined {
  if (!(frame instanceof Uint8Array)) return undefined;
  const header = decodeHeader(frame);
  const body = plain(frame).subarray(HEADER);
  if (header?.state !== 'live' || header.length !== body.length || !isWhole(header, body)) return undefined;
  return decode(body, header.state);
}

/** The same bytes without the methods of `Buffer`, whose `slice` copies no bytes. */
function plain({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

/**
 * A file or a database holds a value that no ledger writes.
 *
 * @experimental
 */
export class AlteredData extends Error {
  override readonly name = 'AlteredData';
}

/** Row of a result. A column of a foreign database can have any type. */
export type SqlRow = { readonly [column: string]: unknown };
