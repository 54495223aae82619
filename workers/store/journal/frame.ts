import { assert } from '../../../core/assert.ts';
import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import type { JsonValue } from '../../../core/json/value.ts';
import type { RunRow } from '../../api.ts';
import { releaseBuffer } from '../../async/release-buffer.ts';
import type { Batch, PendingBatch, StoredPayload } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { crc32 } from './crc.ts';
import { encodeTexts } from './texts.ts';
import { fromJson, inOrder, type SideBytes, toJson } from './values.ts';

/** Order of a part of the log: run, place in the run and number of records of each batch. */
export type BatchOrder = readonly (readonly [run_id: string, run_seq: number, records: number])[];

/** Order of the log from place `from` on, written before a size or a root of that log is told. */
export interface OrderNote {
  readonly from: number;
  readonly order: BatchOrder;
  /** Root of the log behind them. */
  readonly root: string;
}

/** Content of a single write: a batch of the log with its rows, or rows alone. */
export interface Entry {
  readonly batch?: Batch;
  /** A batch whose place in the log is given later. Only private files have such entries. */
  readonly pending?: PendingBatch;
  /** The batch replaces a batch with more content, which was erased. */
  readonly less?: true;
  readonly note?: OrderNote;
  readonly tables: readonly TableWrite[];
  /** The rows are the complete table contents: older rows are void. */
  readonly whole?: true;
  /** As read: these rows came with the batch in the next frame. */
  readonly bound?: true;
  /** For writing: the next frame has more rows of the same change. */
  readonly more?: true;
  /** Time of the write, in ms. It decides which of several files has a row's last value. */
  readonly at?: number;
  /** Last frame of a backup: the number of frames before it. No frame follows. */
  readonly end?: number;
  /**
   * Bytes of the file that were on the disk when this frame was written. A torn frame before that point is damage; a
   * torn frame behind it may come from a power cut. If absent, all bytes before the frame were on the disk.
   */
  readonly flushed?: number;
  /** In the first frame: the name of this file. A copy that replaces it has another name. */
  readonly began?: string;
}

/** Bytes of a header: `SPJ`, the state, and the length and CRC-32 of the body, each in 32 bits, little-endian. */
export const HEADER = 12;
const MAGIC = [0x53, 0x50, 0x4a] as const;
/**
 * `bound` counts like `live` if a whole frame follows, and behind that frame another one while it is bound, too.
 * `wiping` while the body is being overwritten, `void` after that.
 */
const STATES = { live: 0x31, bound: 0x32, wiping: 0x77, void: 0x78 } as const;
export type FrameState = keyof typeof STATES;

export interface Header {
  readonly state: FrameState;
  readonly length: number;
  readonly crc: number;
}

/** Offset of the meta part in a body, behind its length. */
const META_AT = 4;

/** First part of a body, behind its length in 32 bits. The other parts are bytes, in sequence. */
interface Meta {
  readonly batch?: PlacedMeta | undefined;
  readonly pending?: ContentsMeta | undefined;
  readonly less?: true | undefined;
  readonly note?: OrderNote | undefined;
  readonly tables?: readonly (readonly [table: TableWrite['table'], key: string, value?: JsonValue])[] | undefined;
  readonly whole?: true | undefined;
  readonly more?: true | undefined;
  readonly at?: number | undefined;
  readonly end?: number | undefined;
  readonly flushed?: number | undefined;
  readonly began?: string | undefined;
  /** Lengths of the bytes and long texts inside rows. */
  readonly bytes?: readonly number[] | undefined;
}

/** Contents of a batch in the meta part. */
interface ContentsMeta {
  readonly run_id: string;
  readonly run_seq: number;
  readonly row: RunRow;
  /** Length of each record. */
  readonly records: readonly number[];
  readonly gone?: readonly string[] | undefined;
  readonly rows?: true | undefined;
  readonly payloads: readonly (readonly [sha256: string, bytes: number])[];
}

/** A batch in the meta part, with its place in the log and the size and the number of peaks of the log behind it. */
interface PlacedMeta extends ContentsMeta {
  readonly seq: number;
  readonly size: number;
  readonly peaks: number;
}

/**
 * A frame, or two: the rows of a batch stand in a frame of their own before it, so that the batch can be erased without
 * the rows.
 */
export function encodeFrames(entry: Entry): readonly Uint8Array[] {
  const { tables, at, flushed } = entry;
  if ((entry.batch ?? entry.pending) === undefined || tables.length === 0) return [encodeFrame(entry)];
  const when = { ...(at !== undefined && { at }), ...(flushed !== undefined && { flushed }) };
  return [encodeFrame({ tables, ...when }, 'bound'), encodeFrame({ ...entry, tables: [] })];
}

export function encodeFrame(entry: Entry, state: 'live' | 'bound' = 'live'): Uint8Array {
  const { batch, pending, less, note, tables, whole, more, at, end, flushed, began } = entry;
  const records = encodeTexts((batch ?? pending)?.records ?? []);
  const beside: SideBytes = { bytes: [], texts: [] };
  const rows = tables.map(({ table, key, value }) =>
    value === undefined ? ([table, key] as const) : ([table, key, toJson(value, beside)] as const),
  );
  // JSON leaves a member out that is undefined
  const meta: Meta = {
    batch: batch && placedMeta(batch, records.lengths),
    pending: pending && contentsMeta(pending, pending.run, records.lengths),
    less,
    note,
    whole,
    more,
    at,
    end,
    flushed,
    began,
    tables: rows.length > 0 ? rows : undefined,
    bytes: beside.bytes.length > 0 ? beside.bytes.map((bytes) => bytes.length) : undefined,
  };
  const payloads = (batch ?? pending)?.payloads.map(({ bytes }) => bytes) ?? [];
  const parts = [...(batch?.after.log.peaks ?? []), ...records.bytes, ...payloads, ...beside.bytes];
  const frame = frameOf(state, [encodeText(JSON.stringify(meta))], parts);
  for (const text of beside.texts) releaseBuffer(text);
  return frame;
}

function placedMeta(batch: Batch, lengths: readonly number[]): PlacedMeta {
  const { seq, after } = batch;
  const { size, peaks } = after.log;
  return { seq, size, peaks: peaks.length, ...contentsMeta(batch, after.run, lengths) };
}

/** `lengths`: the length of each record in bytes. */
export function contentsMeta(
  { run_id, run_seq, gone, rows, payloads }: Omit<PendingBatch, 'run'>,
  row: RunRow,
  lengths: readonly number[],
): ContentsMeta {
  return { run_id, run_seq, row, records: lengths, gone, rows, payloads: payloads.map(sizeOf) };
}

function sizeOf({ sha256, bytes }: StoredPayload): readonly [sha256: string, bytes: number] {
  return [sha256, bytes.length];
}

/** The frame of a meta part, in UTF-8, and the parts behind it. */
export function frameOf(state: FrameState, meta: readonly Uint8Array[], parts: readonly Uint8Array[]): Uint8Array {
  const length = META_AT + sizeOfAll(meta) + sizeOfAll(parts);
  const frame = new Uint8Array(HEADER + length);
  const body = frame.subarray(HEADER);
  new DataView(frame.buffer).setUint32(HEADER, sizeOfAll(meta), true);
  let at = META_AT;
  for (const part of [...meta, ...parts]) {
    body.set(part, at);
    at += part.length;
  }
  frame.set(encodeHeader({ state, length, crc: crc32(body) }));
  return frame;
}

function sizeOfAll(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Offsets of the state and of the CRC in a header. */
export const STATE_AT = 3;
export const CRC_AT = 8;

export function stateByte(state: FrameState): Uint8Array {
  return Uint8Array.of(STATES[state]);
}

export function encodeHeader({ state, length, crc }: Header): Uint8Array {
  const bytes = new Uint8Array(HEADER);
  bytes.set([...MAGIC, STATES[state]]);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, length, true);
  view.setUint32(8, crc, true);
  return bytes;
}

/** Undefined where no frame begins. */
export function decodeHeader(bytes: Uint8Array): Header | undefined {
  if (bytes.length < HEADER || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined;
  const state = (Object.keys(STATES) as FrameState[]).find((each) => STATES[each] === bytes[3]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  return state && { state, length: view.getUint32(4, true), crc: view.getUint32(8, true) };
}

/**
 * True if this body is as written. A wiped body is zeros and counts as whole. An empty body is not whole, although its
 * check sum would be 0: a torn header reads like that.
 */
export function isWhole({ state, crc }: Header, body: Uint8Array): boolean {
  return !hasContents(state) || (body.length > META_AT && crc32(body) === crc);
}

/** True for a frame that still has its contents. */
export function hasContents(state: FrameState): boolean {
  return state === 'live' || state === 'bound';
}

/** Bytes of an entry: copies, or views on the body (of long texts, too) for a caller that keeps none of them. */
export type BytesMode = 'copied' | 'viewed';

/** The parsed meta part of a body, and the offset of the bytes behind it. */
export interface ReadMeta {
  readonly meta: unknown;
  readonly end: number;
}

/** Parses the meta part. Throws where it is no JSON text, or nested beyond the stack. */
export function readMeta(body: Uint8Array): ReadMeta {
  const end = META_AT + new DataView(body.buffer, body.byteOffset).getUint32(0, true);
  return { meta: JSON.parse(textIn(body.subarray(META_AT, end))), end };
}

/** Contents of a whole frame that was not erased. */
export function decodeBody(
  body: Uint8Array,
  state: FrameState = 'live',
  bytes: BytesMode = 'copied',
  read: ReadMeta = readMeta(body),
): Entry {
  const meta = read.meta as Meta;
  let at = read.end;
  const next = (length: number): Uint8Array => {
    at += length;
    const view = body.subarray(at - length, at);
    return bytes === 'copied' ? view.slice() : view;
  };
  const batch = meta.batch && decodeBatch(meta.batch, next);
  const pending = meta.pending && decodePending(meta.pending, next);
  const beside = inOrder((meta.bytes ?? []).map(next));
  const tables = (meta.tables ?? []).map(([table, key, json]) => {
    const value = json === undefined ? undefined : fromJson(json, beside, bytes === 'viewed' ? same : undefined);
    return { table, key, value };
  });
  const { whole, more, end, at: written, flushed, began } = meta;
  const isBound = state === 'bound' && !more && { bound: true as const };
  const reach = { ...(end !== undefined && { end }), ...(isPlace(flushed) && { flushed }) };
  const name = typeof began === 'string' && { began };
  const { less, note } = meta;
  const marks = {
    ...(whole && { whole }),
    ...reach,
    ...isBound,
    ...name,
    ...(less && { less }),
    ...(note && { note }),
  };
  return {
    ...(batch && { batch }),
    ...(pending && { pending }),
    tables,
    ...marks,
    ...(written !== undefined && { at: written }),
  };
}

function same(bytes: Uint8Array): Uint8Array {
  return bytes;
}

/** A foreign frame may hold any value here. */
function isPlace(flushed: unknown): flushed is number {
  return Number.isSafeInteger(flushed);
}

function decodeBatch(meta: PlacedMeta, next: (length: number) => Uint8Array): Batch {
  // peaks outlive the batch, so they are copied
  const peaks = Array.from({ length: meta.peaks }, () => next(32).slice());
  const { run, ...batch } = decodePending(meta, next);
  return { seq: meta.seq, ...batch, after: { log: { size: meta.size, peaks }, run } };
}

function decodePending(meta: ContentsMeta, next: (length: number) => Uint8Array): PendingBatch {
  const { run_id, run_seq, row, gone, rows } = meta;
  const records = meta.records.map((length) => textIn(next(length)));
  const payloads = meta.payloads.map(([sha256, length]) => ({ sha256, bytes: next(length) }));
  return { run_id, run_seq, records, ...(gone && { gone }), payloads, ...(rows && { rows }), run: row };
}

function textIn(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  assert(text !== undefined, 'a whole frame holds whole text');
  return text;
}
