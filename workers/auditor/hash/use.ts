import { type BatchHash, type HashHex, useSha256 } from '../../../core/hash.ts';
import { type Lanes, makeLanes } from './lanes.ts';
import { FOUR, ONE } from './wasm.ts';

/** Bytes of a message for which a lane has room. */
const ROOM = 16_384;

/** SHA-256 in WebAssembly: of one message, and of many. */
interface WasmHash {
  readonly hash: HashHex;
  readonly batch: BatchHash;
}

/**
 * Hashes with WebAssembly from now on, four messages at once where the engine has SIMD. Core's own loop goes on where
 * the realm's policy refuses WebAssembly. A page does not call this: its policy refuses, and reports so.
 */
export function useWasmHash(): void {
  const made = makeWasmHash();
  if (made !== undefined) useSha256(made.hash, made.batch);
}

/** Undefined where the host refuses WebAssembly. */
export function makeWasmHash(): WasmHash | undefined {
  const one = makeLanes(ONE, ROOM);
  if (one === undefined) return undefined;
  const hash = hashWith(one);
  let made: BatchHash | undefined;
  // Many runs never verify or index, so the second module is compiled with the first batch.
  const batch = () => (made ??= batchWith(makeLanes(FOUR, ROOM) ?? one, hash));
  return {
    hash,
    batch: {
      texts: (prefix, texts) => batch().texts(prefix, texts),
      parts: (prefix, bytes, size) => batch().parts(prefix, bytes, size),
    },
  };
}

const HASH_BYTES = 32;
/** UTF-8 takes at most three bytes for a unit of UTF-16. */
const UNIT_BYTES = 3;

const utf8 = new TextEncoder();

/** SHA-256 of one message at a time. */
export function hashWith(lanes: Lanes): HashHex {
  const { room } = lanes;
  const input = lanes.inputs[0] as Uint8Array;
  return (bytes) => {
    lanes.start();
    let at = 0;
    for (; bytes.length - at > room; at += room) {
      input.set(bytes.subarray(at, at + room));
      lanes.update();
    }
    input.set(at === 0 ? bytes : bytes.subarray(at));
    lanes.finish(lanes.pad(0, bytes.length - at, bytes.length));
    return hexOf(lanes, 0);
  };
}

/** SHA-256 of several messages side by side. `hash` takes each text that may be longer than a lane. */
export function batchWith(lanes: Lanes, hash: HashHex): BatchHash {
  const { inputs, room } = lanes;
  return {
    texts(prefix, texts) {
      const start = utf8.encode(prefix);
      const hashes: string[] = texts.map(() => '');
      const order = byLength(texts);
      const unitsMax = (room - start.length) / UNIT_BYTES;
      const fitting = order.findLastIndex((nth) => (texts[nth] as string).length <= unitsMax) + 1;
      // Before the prefix is written: without SIMD, `hash` writes into the same lane.
      for (const nth of order.subarray(fitting)) hashes[nth] = hash(utf8.encode(prefix + texts[nth]));
      for (const input of inputs) input.set(start.subarray(0, room));
      const places = inputs.map((input) => input.subarray(start.length));
      eachGroup(lanes, fitting, {
        write: (nth, lane) =>
          start.length + utf8.encodeInto(texts[order[nth] as number] as string, places[lane] as Uint8Array).written,
        read: (nth, lane) => {
          hashes[order[nth] as number] = hexOf(lanes, lane);
        },
      });
      return hashes;
    },
    parts(prefix, bytes, size) {
      const hashes = new Uint8Array((bytes.length / size) * HASH_BYTES);
      for (const input of inputs) input[0] = prefix;
      eachGroup(lanes, bytes.length / size, {
        write(nth, lane) {
          (inputs[lane] as Uint8Array).set(bytes.subarray(nth * size, (nth + 1) * size), 1);
          return size + 1;
        },
        read: (nth, lane) => copyDigest(lanes, lane, hashes, nth * HASH_BYTES),
      });
      return hashes;
    },
  };
}

/** Writes a message into a lane and returns its length; reads its digest. */
interface Message {
  write(nth: number, lane: number): number;
  read(nth: number, lane: number): void;
}

/** Hashes so many messages, as many at a time as there are lanes. */
function eachGroup(lanes: Lanes, count: number, { write, read }: Message): void {
  const width = lanes.inputs.length;
  for (let from = 0; from < count; from += width) {
    const taken = Math.min(width, count - from);
    let blocks = 0;
    lanes.start();
    for (let lane = 0; lane < taken; lane++) {
      const length = write(from + lane, lane);
      blocks = Math.max(blocks, lanes.pad(lane, length, length));
    }
    lanes.finish(blocks);
    for (let lane = 0; lane < taken; lane++) read(from + lane, lane);
  }
}

/** MemoryLayout of the texts, the shortest text first: texts that are hashed together end at about the same block. */
function byLength(texts: readonly string[]): Uint32Array {
  const keys = Float64Array.from(texts, ({ length }, nth) => length * 2 ** 24 + nth).sort();
  return Uint32Array.from(keys, (key) => key % 2 ** 24);
}

function copyDigest({ inputs, digests }: Lanes, lane: number, to: Uint8Array, at: number): void {
  for (let byte = 0; byte < HASH_BYTES; byte++)
    to[at + byte] = digests[(byte >> 2) * 4 * inputs.length + 4 * lane + (byte & 3)] as number;
}

const DIGITS: readonly number[] = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const digest = new Uint8Array(HASH_BYTES);
const codes: number[] = Array.from({ length: 2 * HASH_BYTES }, () => 0);

/** A digest as hex digits, made in a single piece: concatenation would keep each hash as a tree of strings. */
function hexOf(lanes: Lanes, lane: number): string {
  copyDigest(lanes, lane, digest, 0);
  for (let at = 0; at < HASH_BYTES; at++) {
    const byte = digest[at] as number;
    codes[2 * at] = DIGITS[byte >> 4] as number;
    codes[2 * at + 1] = DIGITS[byte & 15] as number;
  }
  return String.fromCharCode(...codes);
}
