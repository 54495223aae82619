import { refuse } from '../../../core/errors.ts';
import { concatBytes } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { pause } from '../../async.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import { releaseRows } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import { foreignEntry } from './foreign.ts';
import { type BytesMode, decodeBody, type Entry, encodeFrame, encodeFrames } from './frame.ts';
import { CRC_AT, decodeHeader, HEADER, type Header, hasContents, isWhole, STATE_AT, stateByte } from './header.ts';

/** A file with synchronous access in place: an OPFS access handle, a file descriptor, or bytes in memory. */
export interface ByteFile {
  size(): number;
  /** Fills `into` from this offset, up to the end of the file; returns the number of bytes. */
  read(into: Uint8Array, at: number): number;
  /** Writes all bytes, or throws: a full disk, a dead handle. */
  write(bytes: Uint8Array, at: number): void;
  truncate(size: number): void;
  /** Returns when all written bytes are on the disk, as far as the system tells. */
  flush(): Promise<void>;
  close(): void;
}

/** A frame found in a file: its place, header and body. */
export interface FrameAt {
  readonly at: number;
  /** Header and body. */
  readonly length: number;
  readonly header: Header;
  /** A view that the next frame overwrites: copy the bytes to keep them. */
  readonly body: Uint8Array;
}

/** Place of a frame: its offset, and its length with the header. */
export type FramePlace = Pick<FrameAt, 'at' | 'length'>;
/** A frame whose contents are to be overwritten. */
type StaleFrame = Pick<FrameAt, 'at' | 'header'>;

type Readable = Pick<ByteFile, 'size' | 'read'>;

/** Bytes read at a time; a longer frame is read whole. */
const CHUNK = 1 << 20;

/** The whole frames of a file from its beginning, up to the first broken frame. Returns the end of the whole frames. */
export function* frames(file: Readable): Generator<FrameAt, number> {
  const size = file.size();
  let space = new Uint8Array();
  let [start, end] = [0, 0];
  const bytesAt = (at: number, length: number): Uint8Array => {
    if (at < start || at + length > end) {
      const wanted = Math.min(Math.max(CHUNK, length), size - at);
      // reuses the buffer: a new buffer for each chunk would hold the whole file before a collection
      if (space.length < wanted) space = new Uint8Array(wanted);
      start = at;
      end = at + file.read(space.subarray(0, wanted), at);
    }
    return space.subarray(at - start, Math.min(at - start + length, end - start));
  };
  /** Frame at this place, if whole. `isKnown` skips a check sum that was just verified. */
  const wholeAt = (at: number, isKnown = false): FrameAt | undefined => {
    const header = decodeHeader(bytesAt(at, Math.min(HEADER, size - at)));
    if (header === undefined || at + HEADER + header.length > size) return undefined;
    const body = bytesAt(at + HEADER, header.length);
    return isKnown || isWhole(header, body) ? { at, length: HEADER + header.length, header, body } : undefined;
  };
  /** Place of the frame that completes a series of bound frames. */
  const endOf = (first: FrameAt): number | undefined => {
    let found: FrameAt | undefined = first;
    while (found?.header.state === 'bound') found = wholeAt(found.at + found.length);
    return found?.at;
  };
  let [at, sure] = [0, 0];
  for (let found = wholeAt(at); found !== undefined; found = wholeAt(at, at < sure)) {
    if (found.header.state === 'bound' && at >= sure) {
      const end = endOf(found);
      if (end === undefined) break;
      sure = end;
      // reading the next frames may have overwritten the buffer
      found = wholeAt(at, true);
      if (found === undefined) break;
    }
    yield found;
    at += found.length;
  }
  return at;
}

/**
 * True if the torn frame at `from` had been on the disk: a whole frame behind it names a larger flushed size. Then it
 * is damage. Later frames that were written before the flush may be remainders of the same power cut.
 */
export function isDamageAt(file: Readable, from: number): boolean {
  const rest = new Uint8Array(Math.max(0, file.size() - from));
  file.read(rest, from);
  for (let at = rest.indexOf(0x53, 1); at !== -1; at = rest.indexOf(0x53, at + 1)) {
    const header = decodeHeader(rest.subarray(at, at + HEADER));
    const body = header && rest.subarray(at + HEADER, at + HEADER + header.length);
    if (header?.state !== 'live' || body?.length !== header.length || !isWhole(header, body)) continue;
    if (flushedBefore(body) > from) return true;
    // skips the body: a frame quoted in it is no frame of this file
    at += HEADER + header.length - 1;
  }
  return false;
}

/** Flushed size named by a frame; infinite where it names none, because all bytes before it were flushed. */
function flushedBefore(body: Uint8Array): number {
  try {
    return decodeBody(body, 'live', 'viewed').flushed ?? Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Appends to a file that ends with a whole frame. Returns the place of the last frame of each entry, which holds its
 * batch.
 */
export function appendFrames(file: ByteFile, entries: readonly Entry[]): readonly FramePlace[] {
  const encoded = entries.map(encodeFrames);
  const start = file.size();
  let end = start;
  const place = ({ length }: Uint8Array) => {
    end += length;
    return { at: end - length, length };
  };
  const places = encoded.map((frames) => frames.map(place).at(-1) as ReturnType<typeof place>);
  try {
    file.write(concatBytes(encoded.flat()), start);
  } catch (reason) {
    // A full disk may have taken half of the bytes; the next frame must not stand behind a torn frame.
    file.truncate(start);
    throw reason;
  }
  return places;
}

export function readEntry(file: Readable, { at, length }: FramePlace): Entry {
  const bytes = new Uint8Array(length);
  const header = file.read(bytes, at) === length ? decodeHeader(bytes) : undefined;
  const body = bytes.subarray(HEADER);
  if (header?.state !== 'live' || !isWhole(header, body)) throw new Error(`The frame at ${at} is damaged.`);
  return decodeBody(body);
}

/**
 * Steps of an erasure, in order: a reader after a crash between two steps finds a frame that is whole, `wiping` or
 * `void`.
 */
const WIPING: readonly ((file: ByteFile, frame: StaleFrame) => void)[] = [
  // a single byte cannot be written by half
  (file, { at }) => file.write(stateByte('wiping'), at + STATE_AT),
  (file, { at, header }) => file.write(new Uint8Array(header.length + HEADER - CRC_AT), at + CRC_AT),
  (file, { at }) => file.write(stateByte('void'), at + STATE_AT),
];

/** Overwrites the contents of a frame. A crash midway leaves it `wiping`, and the next opening repeats the erasure. */
export function wipe(file: ByteFile, frame: StaleFrame): void {
  for (const step of WIPING) step(file, frame);
}

/**
 * Erases many frames, safe against a power cut at any moment: each step is flushed before the next, since a disk may
 * reorder writes.
 */
export async function wipeAll(file: ByteFile, places: readonly FramePlace[]): Promise<void> {
  for (const step of WIPING) {
    for (const { at, length } of places) step(file, { at, header: { state: 'live', length: length - HEADER, crc: 0 } });
    await file.flush();
  }
}

/** End of the whole frames of a file, and the frames still to be overwritten. */
export interface ReadJournal {
  readonly end: number;
  readonly stale: readonly StaleFrame[];
}

export type Visit = (entry: Entry, place: FramePlace) => void;

/**
 * Reads a file from its beginning and hands over its entries, without changing it. Of two frames for the same place in
 * the log, the second is the remainder of the first, and the erasure of the first is to be finished. A torn end was
 * never acknowledged as flushed. `store_damaged` where the file is torn in the middle, or holds a frame that no ledger
 * writes.
 */
export function readJournal(file: Readable, visit: Visit, bytes?: BytesMode): Outcome<ReadJournal> {
  const standing = new Map<number, StaleFrame>();
  const stale: StaleFrame[] = [];
  const found = frames(file);
  let next = found.next();
  for (; next.done !== true; next = found.next()) {
    const { at, length, header, body } = next.value;
    if (header.state === 'wiping') stale.push({ at, header });
    if (!hasContents(header.state)) continue;
    const entry = foreignEntry(body, header.state, bytes);
    if (entry === undefined) return damaged(at, `holds at byte ${at} what no ledger writes`);
    const before = entry.batch && standing.get(entry.batch.seq);
    if (before !== undefined) stale.push(before);
    if (entry.batch !== undefined) standing.set(entry.batch.seq, { at, header });
    visit(entry, { at, length });
  }
  const end = next.value;
  if (end < file.size() && isDamageAt(file, end))
    return damaged(end, `is damaged at byte ${end}, and goes on behind it`);
  return pass({ end, stale });
}

export function damaged(at: number, what: string): Outcome<never> {
  return refuse('store_damaged', { at, what });
}

/** As `readJournal`, with repairs: a torn end is cut off, an erasure finished. */
export function openJournal(file: ByteFile, visit: Visit, bytes?: BytesMode): Outcome<void> {
  const read = readJournal(file, visit, bytes);
  if (!read.ok) return read;
  const { end, stale } = read.value;
  if (end < file.size()) file.truncate(end);
  wipeEach(file, stale);
  return pass(undefined);
}

export function wipeEach(file: ByteFile, stale: readonly StaleFrame[]): void {
  for (const frame of stale) wipe(file, frame);
}

/** As `frames`, over a blob: a file of the user is never in memory as a whole. */
export async function* framesIn(blob: Blob, window: number = CHUNK): AsyncGenerator<FrameAt, number> {
  let at = 0;
  for (let size = window; ; ) {
    const bytes = await bytesAt(blob, at, size);
    const found = frames(bytesAsFile(bytes));
    let next = found.next();
    for (; next.done !== true; next = found.next()) yield { ...next.value, at: at + next.value.at };
    const isEnd = at + bytes.length >= blob.size;
    at += next.value;
    if (isEnd) return at;
    const more = next.value > 0 ? window : sizeBehind(bytes, blob.size - at);
    if (more === undefined) return at;
    size = more;
  }
}

/**
 * Bytes to read for the frame at the start of these bytes and all frames bound to it; undefined if no length makes it
 * whole.
 */
function sizeBehind(bytes: Uint8Array, left: number): number | undefined {
  for (let at = 0; ; ) {
    const header = decodeHeader(bytes.subarray(at));
    if (header === undefined) return at + HEADER > bytes.length ? more(at + HEADER, bytes.length, left) : undefined;
    const end = at + HEADER + header.length;
    if (header.state !== 'bound' || end > bytes.length) return more(end, bytes.length, left);
    at = end;
  }
}

/**
 * An attacker may invent a length: it is read only where the file is that long. Many small frames are read together.
 */
function more(wanted: number, had: number, left: number): number | undefined {
  return wanted > had && wanted <= left ? Math.min(left, Math.max(wanted, 2 * had)) : undefined;
}

/** Reads the bodies of found frames; neighbouring frames share a read. */
export function bodiesIn(blob: Blob): (place: FramePlace) => Promise<Uint8Array> {
  let start = 0;
  let bytes = new Uint8Array();
  return async ({ at, length }) => {
    if (at < start || at + length > start + bytes.length) {
      bytes = await bytesAt(blob, at, Math.max(CHUNK, length));
      start = at;
    }
    return bytes.subarray(at - start + HEADER, at - start + length);
  };
}

async function bytesAt(blob: Blob, at: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
}

/** Read-only bytes, as a file. */
export function bytesAsFile(bytes: Uint8Array): Readable {
  return {
    size: () => bytes.length,
    read: (into, at) => {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** Rows written frame by frame, so that no frame is as large as all of them: all rows count, or none. */
interface Chain {
  add(rows: readonly TableWrite[]): Promise<void>;
  /** Returns when all rows are written and flushed. */
  end(): Promise<void>;
  /** Cuts the file back to its size before the chain. */
  undo(): void;
}

/** Bytes flushed at a time: a flush of all bytes would hold the thread for seconds. */
export const FLUSH: number = 4 << 20;

/**
 * Begins at the end of a file that ends with a whole frame. The caller keeps other writers off the file until the chain
 * is ended or undone.
 */
export function openChain(
  file: ByteFile,
  { at, whole, flushed: sure }: Pick<Entry, 'at' | 'whole' | 'flushed'>,
): Chain {
  const start = file.size();
  const time = at === undefined ? {} : { at };
  let [size, flushed] = [start, start];
  let last: Entry | undefined;
  const first = { ...time, ...(whole && { whole }) };

  async function write(frame: Uint8Array): Promise<void> {
    file.write(frame, size);
    size += frame.length;
    releaseBuffer(frame);
    if (size - flushed < FLUSH) return;
    await file.flush();
    flushed = size;
  }

  return {
    // writes the part before: all other parts wait for the last
    async add(tables) {
      const before = last;
      last = { tables, ...(before === undefined ? first : time) };
      if (before === undefined) return;
      const frame = encodeFrame({ ...before, more: true }, 'bound');
      releaseRows(before.tables);
      await write(frame);
      await pause();
    },
    async end() {
      const { tables, ...mark } = last ?? { tables: [], ...first };
      await write(encodeFrame({ tables, ...mark, ...(sure !== undefined && { flushed: sure }) }));
      releaseRows(tables);
      if (size > flushed) await file.flush();
    },
    undo: () => file.truncate(start),
  };
}
