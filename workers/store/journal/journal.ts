import { concatBytes } from '../../../core/hash.ts';
import type { ByteFile } from './file.ts';
import {
  CRC_AT,
  decodeBody,
  decodeHeader,
  type Entry,
  encodeFrames,
  HEADER,
  type Header,
  isWhole,
  STATE_AT,
  stateByte,
} from './frame.ts';

/** A frame as it was found: where it is, and what it says. */
export interface Found {
  readonly at: number;
  /** Header and body. */
  readonly length: number;
  readonly header: Header;
  /** A view that the next frame overwrites: what is kept of it is copied. */
  readonly body: Uint8Array;
}

type Readable = Pick<ByteFile, 'size' | 'read'>;

/** Read at a time; a longer frame is read at once. */
const CHUNK = 1 << 20;

/** The whole frames of a file from its beginning, up to the first that is not whole. Returns where that is. */
export function* frames(file: Readable): Generator<Found, number> {
  const size = file.size();
  let space = new Uint8Array();
  let [start, end] = [0, 0];
  const bytesAt = (at: number, length: number): Uint8Array => {
    if (at < start || at + length > end) {
      const wanted = Math.min(Math.max(CHUNK, length), size - at);
      // the same again: one for each chunk would be all of a file before anything of it is collected
      if (space.length < wanted) space = new Uint8Array(wanted);
      start = at;
      end = at + file.read(space.subarray(0, wanted), at);
    }
    return space.subarray(at - start, Math.min(at - start + length, end - start));
  };
  /** What somebody has just looked at all of is not added up again. */
  const wholeAt = (at: number, isKnown = false): Found | undefined => {
    const header = decodeHeader(bytesAt(at, Math.min(HEADER, size - at)));
    if (header === undefined || at + HEADER + header.length > size) return undefined;
    const body = bytesAt(at + HEADER, header.length);
    return isKnown || isWhole(header, body) ? { at, length: HEADER + header.length, header, body } : undefined;
  };
  /** Where the frame is that all of the bound ones wait for. */
  const endOf = (first: Found): number | undefined => {
    let found: Found | undefined = first;
    while (found?.header.state === 'bound') found = wholeAt(found.at + found.length);
    return found?.at;
  };
  let [at, sure] = [0, 0];
  for (let found = wholeAt(at); found !== undefined; found = wholeAt(at, at < sure)) {
    if (found.header.state === 'bound' && at >= sure) {
      const end = endOf(found);
      if (end === undefined) break;
      sure = end;
      // looking at the next ones may have taken the place of this one
      found = wholeAt(at, true);
      if (found === undefined) break;
    }
    yield found;
    at += found.length;
  }
  return at;
}

/**
 * True if what is torn at `from` was on the disk once: a whole frame behind it was written when that much was. Then it is
 * damage. Frames behind it that were written before any of them was flushed are the rest of what a power cut has torn.
 */
export function isDamageAt(file: Readable, from: number): boolean {
  const rest = new Uint8Array(Math.max(0, file.size() - from));
  file.read(rest, from);
  for (let at = rest.indexOf(0x53, 1); at !== -1; at = rest.indexOf(0x53, at + 1)) {
    const header = decodeHeader(rest.subarray(at, at + HEADER));
    const body = header && rest.subarray(at + HEADER, at + HEADER + header.length);
    if (header?.state !== 'live' || body?.length !== header.length || !isWhole(header, body)) continue;
    if (flushedBefore(body) > from) return true;
    // nothing that it quotes is a frame of this file
    at += HEADER + header.length - 1;
  }
  return false;
}

/** How much was on the disk when a frame was written; of one that does not say, all that was before it. */
function flushedBefore(body: Uint8Array): number {
  try {
    return decodeBody(body, 'live', 'viewed').flushed ?? Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Appends to a file that ends with a whole frame. Returns where the last frame of each entry is, its batch if it has one. */
export function appendFrames(file: ByteFile, entries: readonly Entry[]): readonly Pick<Found, 'at' | 'length'>[] {
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
    // A full disk may have taken half of it; the next frame must not stand behind a torn one.
    file.truncate(start);
    throw reason;
  }
  return places;
}

export function readEntry(file: Readable, { at, length }: Pick<Found, 'at' | 'length'>): Entry {
  const bytes = new Uint8Array(length);
  const header = file.read(bytes, at) === length ? decodeHeader(bytes) : undefined;
  const body = bytes.subarray(HEADER);
  if (header?.state !== 'live' || !isWhole(header, body)) throw new Error(`The frame at ${at} is damaged.`);
  return decodeBody(body);
}

type Stale = Pick<Found, 'at' | 'header'>;

/** One after the other, so that whoever is stopped between two finds a frame that is whole, `wiping`, or `void`. */
const WIPING: readonly ((file: ByteFile, frame: Stale) => void)[] = [
  // a single byte cannot be written by half
  (file, { at }) => file.write(stateByte('wiping'), at + STATE_AT),
  (file, { at, header }) => file.write(new Uint8Array(header.length + HEADER - CRC_AT), at + CRC_AT),
  (file, { at }) => file.write(stateByte('void'), at + STATE_AT),
];

/**
 * Overwrites what a frame says. Whoever is stopped in the middle leaves it `wiping`, and whoever opens the file next
 * does it again.
 */
export function wipe(file: ByteFile, frame: Stale): void {
  for (const step of WIPING) step(file, frame);
}

/** The same for many, wherever the power goes: a disk that writes in any order has each step before the next one. */
export async function wipeAll(file: ByteFile, places: readonly Pick<Found, 'at' | 'length'>[]): Promise<void> {
  for (const step of WIPING) {
    for (const { at, length } of places) step(file, { at, header: { state: 'live', length: length - HEADER, crc: 0 } });
    await file.flush();
  }
}
