import { type BatchHash, type HashHex, useSha256 } from '../../../core/hash.ts';
import { batchWith, hashWith } from './hash.ts';
import { makeLanes } from './lanes.ts';
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
