import { assert } from '../core/assert.ts';
import { sha256Hex, sha256Text } from '../core/hash.ts';
import { concatBytes } from '../core/json/utf8.ts';
import { misuse } from '../core/sallyport-error.ts';
import type { Engine } from './engine.ts';
import {
  HEAP_PAGE_BYTES,
  hashRuns,
  type Image,
  type Made,
  type PageRun,
  preludeDigest,
  type Roots,
  sharedRuns,
} from './image.ts';
import { PAGE_BYTES } from './instance.ts';

/**
 * An image as plain data, to be kept in a database or sent to another thread. An image from a database is taken only
 * when its digest equals the digest that was kept apart from it; the heap itself is then checked against its hash once
 * more.
 */
export interface StoredImage extends Made {
  readonly imageHash: string;
  readonly memoryPages: number;
  readonly roots: Roots;
  /** Start and length of each run, in bytes; the runs themselves follow each other in `bytes`. */
  readonly runs: readonly (readonly [at: number, length: number])[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 over all of the above; the bytes count by their `imageHash`. */
  readonly digest: string;
}

export function storeImage(image: Image): StoredImage {
  const { wasmHash, preludeHash, hash: imageHash, memoryPages, roots } = image;
  const runs = spans(image.runs);
  const stored = { wasmHash, preludeHash, imageHash, memoryPages, roots, runs };
  return { ...stored, bytes: concatBytes(image.runs.map((run) => run.bytes)), digest: digestOf(stored) };
}

/** An image to start from, with the digest that was kept apart from it. */
export interface GivenImage {
  readonly stored: StoredImage;
  readonly digest: string;
  /** The image comes straight from a worker that has hashed its heap: the heap is not hashed again. */
  readonly isHashed?: boolean;
}

/** Throws `image_refused` unless it is whole, made by this engine and prelude, and has the digest that is asked for. */
export function restoreImage(engine: Engine, prelude: string, { stored, digest, isHashed = false }: GivenImage): Image {
  refuseUnless(stored.wasmHash === engine.wasmHash, 'it was made by another engine');
  refuseUnless(stored.preludeHash === preludeDigest(prelude), 'it was made by another version');
  refuseUnless(stored.digest === digest && digestOf(stored) === digest, 'its digest does not match');
  refuseUnless(isLaidOut(stored), 'its pages overlap or are out of range');
  const { wasmHash, preludeHash, imageHash, memoryPages, roots } = stored;
  const runs = sharedRuns(split(stored), engine.shared ?? []);
  refuseUnless(isHashed || hashRuns(runs) === imageHash, 'its heap does not match its hash');
  return { wasmHash, preludeHash, hash: imageHash, memoryPages, roots, runs };
}

/** Throws `image_refused` for stored data that fails a check. */
export function refuseUnless(condition: boolean, reason: string): void {
  if (!condition) throw misuse('image_refused', { reason });
}

/** Whole pages, in order, without overlap, inside the memory, and as many bytes as they say. */
function isLaidOut({ runs, bytes, memoryPages }: StoredImage): boolean {
  if (!Number.isSafeInteger(memoryPages) || memoryPages <= 0) return false;
  let from = 0;
  let length = 0;
  for (const [at, size] of runs) {
    if (at % HEAP_PAGE_BYTES !== 0 || size % HEAP_PAGE_BYTES !== 0 || at < from || size <= 0) return false;
    from = at + size;
    length += size;
  }
  return from <= memoryPages * PAGE_BYTES && length === bytes.length;
}

function digestOf(stored: Omit<StoredImage, 'bytes' | 'digest'>): string {
  const { wasmHash, preludeHash, imageHash, memoryPages, roots, runs } = stored;
  const entries = Object.entries(roots.entries).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { context, runtime, undefined: none, scratch } = roots;
  return sha256Text(
    JSON.stringify([wasmHash, preludeHash, imageHash, memoryPages, [context, runtime, none, scratch, entries], runs]),
  );
}

/** SHA-256 of a text, a zero byte and bytes. */
export function digestBytes(head: string, bytes: Uint8Array): string {
  const text = new TextEncoder().encode(head);
  const all = new Uint8Array(text.length + 1 + bytes.length);
  all.set(text);
  all.set(bytes, text.length + 1);
  return sha256Hex(all);
}

/** Start and length of each run. Adjacent runs, which sharing with other images has split, are merged. */
function spans(runs: readonly PageRun[]): (readonly [at: number, length: number])[] {
  const merged: [at: number, length: number][] = [];
  for (const { at, bytes } of runs) {
    const last = merged.at(-1);
    if (last !== undefined && last[0] + last[1] === at) last[1] += bytes.length;
    else merged.push([at, bytes.length]);
  }
  return merged;
}

function split({ runs, bytes }: StoredImage): PageRun[] {
  let offset = 0;
  return runs.map(([at, length]) => {
    const run = { at, bytes: bytes.subarray(offset, offset + length) };
    offset += length;
    assert(run.bytes.length === length, 'runs are as long as they say');
    return run;
  });
}
