import { sha256Hex, sha256Text } from '../core/hash.ts';
import type { Pins } from './pins.ts';
import { FRAME_BYTES_MORE } from './wasm/prepare.ts';

/** The grain of images and of heap hashes; smaller than a WebAssembly page, so that an image holds little that is zero. */
export const HEAP_PAGE_BYTES = 4096;
const HEAP_PAGE_WORDS = HEAP_PAGE_BYTES / 4;

/**
 * Pointers into the image that the host keeps. They are numbers, and stay valid for every instance that adopts the
 * image.
 */
export interface Roots {
  readonly context: number;
  readonly runtime: number;
  readonly undefined: number;
  /** 16 bytes for arguments and out parameters. */
  readonly scratch: number;
  /** The functions of the realm's prelude. */
  readonly entries: { readonly [name: string]: number };
}

/** Consecutive pages that are not zero. */
export interface PageRun {
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Engine and prelude that an image is made with. Another version of either makes another image. */
export interface Made {
  readonly wasmHash: string;
  /** SHA-256 of the realm's prelude, and of the further host inputs of an image (`preludeDigest`). */
  readonly preludeHash: string;
}

/** A prepared heap: all its pages that are not zero. Never written to after it was made. */
export interface Image extends Made {
  readonly hash: string;
  readonly memoryPages: number;
  readonly roots: Roots;
  readonly runs: readonly PageRun[];
}

/**
 * The image of a memory whose C stack is zero. Pages equal to the pages of an earlier image, `like`, are shared with
 * it.
 */
export function captureImage(
  memory: Uint8Array,
  roots: Roots,
  made: Made,
  stack: PageRange,
  like: readonly PageRun[] = [],
): Image {
  const runs = sharedRuns(runsOf(memory, stack), like);
  return { ...made, hash: hashRuns(runs), memoryPages: memory.length / 65_536, roots, runs };
}

/** Writes an image into a memory that is zero outside of static data. */
export function writeImage(image: Image, memory: Uint8Array): void {
  memory.fill(0, 0, image.runs[0]?.at ?? 0);
  for (const { at, bytes } of image.runs) memory.set(bytes, at);
}

/** SHA-256 over (page number u32 LE, page) of all pages of 4 KiB that are not zero, in order. */
export function heapHash(memory: Uint8Array): string {
  return hashRuns(runsOf(memory));
}

export function hashRuns(runs: readonly PageRun[]): string {
  return pageDigest(pagesOf(runs), HEAP_PAGE_BYTES);
}

/** A range of bytes, end exclusive. */
type PageRange = readonly [from: number, to: number];

/** The undoing of a call: ranges to clear and runs to copy. The C stack is cleared as deep as the call went. */
export interface Restoration {
  readonly clear: readonly PageRange[];
  readonly image: Image;
  /** Clear from here to the end of the memory, wherever that is now. */
  readonly tail: number;
  readonly stack: PageRange;
}

export function planRestoration(image: Image, pins: Pins): Restoration {
  const { low, high } = pins.stack;
  const clear = gapsBetween(image.runs).flatMap((gap) => without(gap, [low, high]));
  const last = image.runs.at(-1);
  const tail = last === undefined ? 0 : last.at + last.bytes.length;
  return { clear, image, tail, stack: [low, high] };
}

/** `stackLow`: the lowest address the C stack has had. */
export function restore(plan: Restoration, memory: Uint8Array, stackLow: number): void {
  memory.fill(0, Math.max(plan.stack[0], stackLow), plan.stack[1]);
  for (const [from, to] of plan.clear) memory.fill(0, from, to);
  memory.fill(0, plan.tail);
  for (const { at, bytes } of plan.image.runs) memory.set(bytes, at);
}

function gapsBetween(runs: readonly PageRun[]): PageRange[] {
  let from = 0;
  return runs.map(({ at, bytes }) => {
    const gap: PageRange = [from, at];
    from = at + bytes.length;
    return gap;
  });
}

/** The parts of a range outside of the hole. */
function without([from, to]: PageRange, [low, high]: PageRange): PageRange[] {
  const parts: PageRange[] = [
    [from, Math.min(to, low)],
    [Math.max(from, high), to],
  ];
  return parts.filter(([start, end]) => start < end);
}

/** The runs of a memory. `zero` is a range that is known to be zero. */
function runsOf(memory: Uint8Array, zero: PageRange = [0, 0]): PageRun[] {
  const words = new Int32Array(memory.buffer, memory.byteOffset, memory.length / 4);
  const runs: PageRun[] = [];
  let start = -1;
  for (let at = 0; at <= memory.length; at += HEAP_PAGE_BYTES) {
    const isKnown = zero[0] <= at && at + HEAP_PAGE_BYTES <= zero[1];
    const filled = at < memory.length && !isKnown && !isZero(words, at / 4);
    if (filled && start < 0) start = at;
    if (!filled && start >= 0) {
      runs.push({ at: start, bytes: new Uint8Array(memory.slice(start, at)) });
      start = -1;
    }
  }
  return runs;
}

/** Runs that share equal pages with those of an earlier image: static data is two fifths of a small image. */
export function sharedRuns(runs: readonly PageRun[], like: readonly PageRun[]): PageRun[] {
  const known = new Map(pagesOf(like));
  return runs.flatMap((run) => {
    const parts: PageRun[] = [];
    for (const [page, bytes] of pagesOf([run])) {
      const same = known.get(page);
      const part = same !== undefined && isSame(same, bytes) ? same : bytes;
      const last = parts.at(-1);
      const at = page * HEAP_PAGE_BYTES;
      if (last !== undefined && follows(last.bytes, part))
        parts[parts.length - 1] = { at: last.at, bytes: widened(last.bytes, part) };
      else parts.push({ at, bytes: part });
    }
    return parts.map(({ at, bytes }) => ({ at, bytes: bytes.buffer === run.bytes.buffer ? bytes.slice() : bytes }));
  });
}

function follows(first: Uint8Array, second: Uint8Array): boolean {
  return first.buffer === second.buffer && first.byteOffset + first.length === second.byteOffset;
}

function widened(first: Uint8Array<ArrayBuffer>, by: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(first.buffer, first.byteOffset, first.length + by.length);
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  const left = new Int32Array(a.buffer, a.byteOffset, a.length / 4);
  const right = new Int32Array(b.buffer, b.byteOffset, b.length / 4);
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

function isZero(words: Int32Array, from: number): boolean {
  for (let i = from; i < from + HEAP_PAGE_WORDS; i++) if (words[i] !== 0) return false;
  return true;
}

function pagesOf(runs: readonly PageRun[]): (readonly [number, Uint8Array<ArrayBuffer>])[] {
  return runs.flatMap(({ at, bytes }) =>
    Array.from({ length: bytes.length / HEAP_PAGE_BYTES }, (_, i) => {
      const offset = i * HEAP_PAGE_BYTES;
      return [at / HEAP_PAGE_BYTES + i, bytes.subarray(offset, offset + HEAP_PAGE_BYTES)] as const;
    }),
  );
}

const NUMBER_BYTES = 4;

/** SHA-256 over (page number u32 LE, page), in the order given. */
function pageDigest(pages: readonly (readonly [number, Uint8Array])[], pageBytes: number): string {
  const all = new Uint8Array(pages.length * (NUMBER_BYTES + pageBytes));
  const view = new DataView(all.buffer);
  pages.forEach(([page, bytes], i) => {
    const at = i * (NUMBER_BYTES + pageBytes);
    view.setUint32(at, page, true);
    all.set(bytes, at + NUMBER_BYTES);
  });
  return sha256Hex(all);
}

/** Digest of the host's inputs to an image: the prelude, and the stack frames' extra size. */
export function preludeDigest(prelude: string): string {
  return sha256Text(`${FRAME_BYTES_MORE}\n${prelude}`);
}
