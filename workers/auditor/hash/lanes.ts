import { BLOCK_BYTES, CONSTANTS, layoutOf, START, sha256Module } from './sha256.ts';
import type { Words } from './wasm.ts';

/** Messages side by side in the memory of a compiled hash. */
export interface Lanes {
  /** Where each message is written. */
  readonly inputs: readonly Uint8Array[];
  /** Digests by word: the first four bytes of each digest, then the next four of each, and so on. */
  readonly digests: Uint8Array;
  /** Bytes of a message that `inputs` has room for. A multiple of a block. */
  readonly room: number;
  /** Begins new messages. */
  start(): void;
  /** Hashes `room` bytes of every message. */
  update(): void;
  /** Ends a message: its last bytes at the beginning of its input, and its length. Returns the blocks left to hash. */
  pad(lane: number, rest: number, length: number): number;
  /** Hashes the padded messages to their ends; the longest has so many blocks. */
  finish(blocks: number): void;
}

/** Compiles a hash. Undefined where the host refuses WebAssembly or these instructions. */
export function makeLanes(words: Words, room: number): Lanes | undefined {
  try {
    // The last block of a message is filled up, or one follows.
    const distance = room + BLOCK_BYTES;
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(sha256Module(words, distance)));
    return lanesIn(exports as unknown as Exports, words.lanes, room, distance);
  } catch {
    return undefined;
  }
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly run: (blocks: number) => void;
}

function lanesIn({ memory: { buffer }, run }: Exports, lanes: number, room: number, distance: number): Lanes {
  const at = layoutOf(4 * lanes);
  const spread = (values: readonly number[]) =>
    Int32Array.from(values.flatMap((value) => Array.from({ length: lanes }, () => value)));
  new Int32Array(buffer).set(spread(CONSTANTS));
  const [state, start] = [new Int32Array(buffer, at.state, 8 * lanes), spread(START)];
  const counts = new Int32Array(buffer, at.counts, lanes);
  const inputs = Array.from(
    { length: lanes },
    (_, lane) => new Uint8Array(buffer, at.input + lane * distance, distance),
  );
  const views = inputs.map(({ byteOffset }) => new DataView(buffer, byteOffset, distance));
  return {
    inputs,
    digests: new Uint8Array(buffer, at.digest, 32 * lanes),
    room,
    start() {
      state.set(start);
      counts.fill(0);
    },
    update() {
      counts.fill(room / BLOCK_BYTES);
      run(room / BLOCK_BYTES);
    },
    pad(lane, rest, length) {
      const end = (Math.floor((rest + 8) / BLOCK_BYTES) + 1) * BLOCK_BYTES;
      const [input, view] = [inputs[lane] as Uint8Array, views[lane] as DataView];
      input[rest] = 0x80;
      input.fill(0, rest + 1, end - 8);
      view.setUint32(end - 8, Math.floor(length / 2 ** 29));
      view.setUint32(end - 4, length << 3);
      counts[lane] = end / BLOCK_BYTES;
      return end / BLOCK_BYTES;
    },
    finish: run,
  };
}
