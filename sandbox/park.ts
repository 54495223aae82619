import type { PowerCall } from '../core/capability/call.ts';
import { type CallLimits, PARKED_BYTES } from '../core/limits.ts';
import { HEAP_PAGE_BYTES, type Image, isSame } from './image.ts';
import type { Instance } from './instance.ts';
import type { PowerRequest } from './power-call.ts';
import { digestBytes, refuseUnless } from './stored-image.ts';

/** Inputs of a call besides its arguments. All are recorded, so that the call can be made again. */
export interface CallInput {
  readonly seed: number;
  /** ms since epoch; the guest's clock stands still at it. */
  readonly now: number;
  readonly heapHash?: boolean;
  /** A guest that a limit stops may go on for a moment to say where it was: its fuel and console are not the call's. */
  readonly trace?: boolean;
  /** Less fuel than the capability's limit, for this call alone. */
  readonly fuelMax?: number;
}

/** The host's state of a waiting call, beside its heap. */
export interface CallState {
  readonly input: CallInput;
  readonly limits: CallLimits;
  readonly fuel: number;
  readonly leftMs: number;
  readonly jobs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly asked: number;
  readonly open: readonly PowerRequest[];
  readonly answered: readonly PowerCall[];
}

/**
 * A waiting call as plain data: the pages in which its heap differs from the image, and the host's state. It continues
 * in any instance of the same image, also after days. The digest reveals a changed parked call; keep the digest apart
 * from the call.
 */
export interface ParkedCall {
  readonly wasmHash: string;
  readonly imageHash: string;
  readonly memoryPages: number;
  /** Numbers of the 4 KiB pages, ascending; their contents follow each other in `bytes`. */
  readonly pages: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly state: CallState;
  readonly digest: string;
}

/** The host's side of a call that has not begun. */
export function unbegun(most: CallLimits, input: CallInput): CallState {
  const limits = { ...most, fuel: Math.min(most.fuel, input.fuelMax ?? most.fuel) };
  const { deadlineMs: leftMs } = limits;
  return { input, limits, fuel: 0, leftMs, jobs: 0, bytesIn: 0, bytesOut: 0, asked: 0, open: [], answered: [] };
}

/** Undefined where it is too much to be kept. */
export function parkHeap(instance: Instance, image: Image, state: CallState): ParkedCall | undefined {
  const pages = dirtyPages(instance.bytes, image);
  if (pages.length * HEAP_PAGE_BYTES + state.bytesIn > PARKED_BYTES) return undefined;
  const bytes = new Uint8Array(pages.length * HEAP_PAGE_BYTES);
  pages.forEach((page, i) => bytes.set(pageOf(instance.bytes, page), i * HEAP_PAGE_BYTES));
  const memoryPages = instance.bytes.length / 65_536;
  const parked = { wasmHash: image.wasmHash, imageHash: image.hash, memoryPages, pages, bytes, state };
  return { ...parked, digest: digestOf(parked) };
}

/** Throws `image_refused` unless the call was parked from this image and matches the digest. */
export function unparkHeap(instance: Instance, image: Image, parked: ParkedCall, digest: string): void {
  refuseUnless(parked.wasmHash === image.wasmHash, 'it was parked in another engine');
  refuseUnless(parked.imageHash === image.hash, 'it was parked from another image');
  refuseUnless(parked.digest === digest && digestOf(parked) === digest, 'its digest does not match');
  refuseUnless(parked.bytes.length === parked.pages.length * HEAP_PAGE_BYTES, 'its pages are not whole');
  refuseUnless(instance.grow(parked.memoryPages * 65_536), 'it needs more memory than it may have');
  const last = instance.bytes.length / HEAP_PAGE_BYTES - 1;
  refuseUnless(
    parked.pages.every((page) => Number.isInteger(page) && page >= 0 && page <= last),
    'a page is out of range',
  );
  const { low, high } = instance.engine.pins.stack;
  parked.pages.forEach((page, i) => {
    const at = page * HEAP_PAGE_BYTES;
    const bytes = pageOf(parked.bytes, i);
    instance.bytes.set(bytes, at);
    // The old contents of the stack are part of the heap, and are cleared with the instance. Static data may end within
    // the first page of the stack.
    const first = bytes.subarray(Math.max(low - at, 0), Math.max(high - at, 0)).findIndex((byte) => byte !== 0);
    if (first >= 0) instance.stackLow = Math.min(instance.stackLow, Math.max(low, at) + first);
  });
}

/** True if a stored value is the parked call with this digest. A value with another digest is not examined further. */
export function isIntact(kept: unknown, digest: string): kept is ParkedCall {
  try {
    const parked = kept as ParkedCall;
    return parked.digest === digest && digestOf(parked) === digest;
  } catch {
    return false;
  }
}

function digestOf({ bytes, wasmHash, imageHash, memoryPages, pages, state }: Omit<ParkedCall, 'digest'>): string {
  return digestBytes(JSON.stringify([wasmHash, imageHash, memoryPages, pages, state]), bytes);
}

function dirtyPages(memory: Uint8Array<ArrayBuffer>, image: Image): number[] {
  const base = new Map<number, Uint8Array<ArrayBuffer>>();
  for (const { at, bytes } of image.runs) {
    for (let i = 0; i < bytes.length / HEAP_PAGE_BYTES; i++) base.set(at / HEAP_PAGE_BYTES + i, pageOf(bytes, i));
  }
  const pages = Array.from({ length: memory.length / HEAP_PAGE_BYTES }, (_, page) => page);
  return pages.filter((page) => !isSame(pageOf(memory, page), base.get(page) ?? ZERO));
}

const ZERO = new Uint8Array(HEAP_PAGE_BYTES);

function pageOf(bytes: Uint8Array<ArrayBuffer>, page: number): Uint8Array<ArrayBuffer> {
  return bytes.subarray(page * HEAP_PAGE_BYTES, (page + 1) * HEAP_PAGE_BYTES);
}
