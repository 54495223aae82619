import { foreignEntry } from '../journal/foreign.ts';
import { decodeHeader, type Entry, encodeFrame, HEADER, isWhole } from '../journal/frame.ts';
import type { Batch, StoredPayload } from '../store.ts';
import type { TableName, TableRow, TableValue, TableWrite } from '../tables.ts';
import { AlteredData } from './altered.ts';
import type { SqlRow } from './row.ts';

// Every value of a database may be an attacker's: it is returned only in the form that a ledger writes.

/** Frame of a batch. Its payloads stand in rows of their own. */
export function encodeBatch(batch: Batch): Uint8Array {
  return encodeFrame({ batch: { ...batch, payloads: [] }, tables: [] });
}

/** The batch in a row of `batch`, without its payloads. Throws `AlteredData`. */
export function decodeBatch({ seq, run_id, run_seq, frame }: SqlRow): Batch {
  const batch = entryIn(frame)?.batch;
  if (batch === undefined) throw new AlteredData(`has no batch at place ${String(seq)}`);
  const { log, run } = batch.after;
  const count = (batch.gone ?? batch.records).length;
  const stands = batch.seq === seq && batch.run_id === run_id && batch.run_seq === run_seq;
  if (!stands || log.size !== seq + count || run.records !== run_seq + count)
    throw new AlteredData(`has a batch of another place at place ${String(seq)}`);
  return batch;
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

/** Frame of a row. Throws `DataCloneError` for a value that cannot be stored. */
export function encodeRow({ table, key, value }: TableWrite): Uint8Array {
  return encodeFrame({ tables: [{ table, key, value: structuredClone(value) }] });
}

/** Key and value in a row of this table. Throws `AlteredData`. */
export function decodeRow(table: TableName, { key, frame }: SqlRow): TableRow {
  const name = decodeKey(key);
  const row = entryIn(frame)?.tables[0];
  if (row === undefined || row.table !== table || row.key !== name || row.value === undefined)
    throw new AlteredData(`has no row of the table ${table} under ${JSON.stringify(name)}`);
  return [name, row.value as TableValue];
}

/** A key in UTF-16, big-endian: a database compares bytes, and the tables compare UTF-16 units. */
export function encodeKey(key: string): Uint8Array {
  return Buffer.from(key, 'utf16le').swap16();
}

function decodeKey(key: unknown): string {
  if (!(key instanceof Uint8Array) || key.length % 2 > 0) throw new AlteredData('has a row without a key');
  return Buffer.from(key).swap16().toString('utf16le');
}

/** Entry of a live frame; undefined for other bytes. */
function entryIn(frame: unknown): Entry | undefined {
  if (!(frame instanceof Uint8Array)) return undefined;
  const header = decodeHeader(frame);
  const body = plain(frame).subarray(HEADER);
  if (header?.state !== 'live' || header.length !== body.length || !isWhole(header, body)) return undefined;
  return foreignEntry(body, header.state);
}

/** The same bytes without the methods of `Buffer`, whose `slice` copies no bytes. */
function plain({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
