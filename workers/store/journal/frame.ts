import { assert } from '../../../core/assert.ts';
import { decodeUtf8, encodeOnce, encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import type { Batch, BatchEnd, PendingBatch, StoredPayload } from '../store.ts';
import type { TableValue, TableWrite } from '../tables.ts';
import { crc32, type FrameState, HEADER, META_AT, writeHeader } from './header.ts';

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

/** The batch of an entry, with or without a place in the log. */
export function batchIn({ batch, pending }: Pick<Entry, 'batch' | 'pending'>): Batch | PendingBatch | undefined {
  return batch ?? pending;
}

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
  if (batchIn(entry) === undefined || tables.length === 0) return [encodeFrame(entry)];
  const when = { ...(at !== undefined && { at }), ...(flushed !== undefined && { flushed }) };
  return [encodeFrame({ tables, ...when }, 'bound'), encodeFrame({ ...entry, tables: [] })];
}

export function encodeFrame(entry: Entry, state: 'live' | 'bound' = 'live'): Uint8Array {
  const { batch, pending, less, note, tables, whole, more, at, end, flushed, began } = entry;
  const records = encodeTexts(batchIn(entry)?.records ?? []);
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
  const payloads = batchIn(entry)?.payloads.map(({ bytes }) => bytes) ?? [];
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
function contentsMeta(
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
function frameOf(state: FrameState, meta: readonly Uint8Array[], parts: readonly Uint8Array[]): Uint8Array {
  const metaSize = sizeOfAll(meta);
  const length = META_AT + metaSize + sizeOfAll(parts);
  const frame = new Uint8Array(HEADER + length);
  const view = new DataView(frame.buffer);
  view.setUint32(HEADER, metaSize, true);
  putAll(frame, meta, HEADER + META_AT);
  putAll(frame, parts, HEADER + META_AT + metaSize);
  writeHeader(view, { state, length, crc: crc32(frame.subarray(HEADER)) });
  return frame;
}

function putAll(frame: Uint8Array, parts: readonly Uint8Array[], from: number): void {
  let at = from;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
}

function sizeOfAll(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
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
  const log = decodeLog(meta, next);
  const { run, ...batch } = decodePending(meta, next);
  return { seq: meta.seq, ...batch, after: { log, run } };
}

/** The log behind a batch. Its peaks outlive the batch, so they are copied. */
function decodeLog({ size, peaks }: PlacedMeta, next: (length: number) => Uint8Array): Frontier {
  return { size, peaks: Array.from({ length: peaks }, () => next(32).slice()) };
}

/** A batch without its records and payloads: what the next batch follows. */
export interface CountedEnd extends BatchEnd {
  /** Number of its records, removed records included. */
  readonly count: number;
}

/** The end of the batch in a whole frame that was not erased. Undefined for a frame without a batch. */
export function decodeEnd(body: Uint8Array, { meta, end }: ReadMeta): CountedEnd | undefined {
  const { batch } = meta as Meta;
  if (batch === undefined) return undefined;
  const { seq, run_id, run_seq, row, records, gone = records } = batch;
  let at = end;
  const log = decodeLog(batch, (length) => {
    at += length;
    return body.subarray(at - length, at);
  });
  return { seq, run_id, run_seq, count: gone.length, after: { log, run: row } };
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

/** Bytes that follow the JSON of the rows of a frame, in its order. */
interface SideBytes {
  readonly bytes: Uint8Array[];
  /** The members of `bytes` that were made from texts. */
  readonly texts: Uint8Array[];
}

/** Texts of this length or more stand beside the JSON: a reader can skip them, and they need no escapes. */
const LONG = 128;

/**
 * JSON form of a value. JSON has no bytes, so bytes and long texts go into `beside`. The first item of an array names
 * its kind.
 */
function toJson(value: TableValue, beside: SideBytes): JsonValue {
  if (value instanceof Uint8Array) return ['b', beside.bytes.push(value) - 1];
  if (typeof value === 'string' && value.length >= LONG && value.isWellFormed()) {
    const text = encodeOnce(value);
    beside.texts.push(text);
    return ['t', beside.bytes.push(text) - 1];
  }
  if (isList(value)) return ['a', ...value.map((item) => toJson(item, beside))];
  return isObject(value) ? mapped(value, (item) => toJson(item, beside)) : (value as JsonValue);
}

/** Returns the bytes with this number. */
type TakeBytes = (at: unknown) => Uint8Array;

/** Hands out each item once, in order, as written. A foreign frame could name an item many times to fill the memory. */
function inOrder(bytes: readonly Uint8Array[]): TakeBytes {
  let taken = 0;
  return (at) => {
    const next = bytes[taken];
    if (next === undefined || at !== taken++) throw new TypeError('What stands beside rows is named once.');
    return next;
  };
}

/** Inverse of `toJson`. */
function fromJson(json: JsonValue, take: TakeBytes, text: (bytes: Uint8Array) => TableValue = longText): TableValue {
  if (isList(json)) {
    if (json[0] === 'b') return take(json[1]);
    if (json[0] === 't') return text(take(json[1]));
    return json.slice(1).map((item) => fromJson(item as JsonValue, take, text));
  }
  return isObject(json) ? mapped(json, (item) => fromJson(item as JsonValue, take, text)) : json;
}

function longText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new TypeError('A whole frame holds whole text.');
  return text;
}

function isList(value: unknown): value is readonly TableValue[] {
  return Array.isArray(value);
}

/** Object with changed members. `fromEntries` makes own members of every name, `__proto__` too. */
function mapped<T>(value: object, change: (item: TableValue) => T): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item as TableValue)]));
}

/** Texts in UTF-8: their bytes behind each other, in one part or several, and the length of each text in bytes. */
interface EncodedTexts {
  readonly bytes: readonly Uint8Array[];
  readonly lengths: readonly number[];
}

/** Encodes texts. Texts of ASCII are encoded in one go. */
function encodeTexts(texts: readonly string[]): EncodedTexts {
  const lengths = texts.map((text) => text.length);
  const whole = encodeText(texts.join(''));
  if (whole.length === lengths.reduce((sum, length) => sum + length, 0)) return { bytes: [whole], lengths };
  const bytes = texts.map(encodeText);
  return { bytes, lengths: bytes.map(({ length }) => length) };
}

/** The frame of a batch without payloads, encoded up to its place in the log. */
export interface FrameDraft {
  /** The members of the batch behind its place, and the ends of the objects, in JSON. */
  readonly contents: Uint8Array;
  readonly records: EncodedTexts;
}

/** Encodes what does not depend on the place of the batch. The frame names no payload. */
export function draftFrame(batch: PendingBatch): FrameDraft {
  const records = encodeTexts(batch.records);
  const contents = JSON.stringify(contentsMeta({ ...batch, payloads: [] }, batch.run, records.lengths));
  return { contents: encodeText(`${contents.slice(1)}}`), records };
}

/** The frame as `encodeFrame` makes it of the batch at place `seq`, behind which the log is `after`. */
export function placeFrame({ contents, records }: FrameDraft, seq: number, after: Frontier): Uint8Array {
  const place = `{"batch":{"seq":${seq},"size":${after.size},"peaks":${after.peaks.length},`;
  return frameOf('live', [encodeText(place), contents], [...after.peaks, ...records.bytes]);
}
