import { bytesAsFile } from './bytes.ts';
import { decodeHeader, HEADER } from './header.ts';
import { type FrameAt, type FramePlace, frames } from './journal.ts';

/** Bytes held in memory at a time; a longer frame is held whole. */
const WINDOW = 1 << 20;

/** As `frames`, over a blob: a file of the user is never in memory as a whole. */
export async function* framesIn(blob: Blob, window: number = WINDOW): AsyncGenerator<FrameAt, number> {
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
      bytes = await bytesAt(blob, at, Math.max(WINDOW, length));
      start = at;
    }
    return bytes.subarray(at - start + HEADER, at - start + length);
  };
}

async function bytesAt(blob: Blob, at: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
}
