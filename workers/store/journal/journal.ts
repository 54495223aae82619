import { concatBytes } from '../../../core/hash.ts';
import type { ByteFile } from './file.ts';
import { decodeBody, type Entry, encodeFrames } from './frame.ts';
import { CRC_AT, decodeHeader, HEADER, type Header, isWhole, STATE_AT, stateByte } from './header.ts';

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
export type StaleFrame = Pick<FrameAt, 'at' | 'header'>;

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
    file.write(concatBytes(...encoded.flat()), start);
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
