import { add, get, type Instructions, i32, isLess, loop, moduleOf, set, type Words } from './wasm.ts';

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

const ROUNDS = 64;
/** Rounds a turn of a loop: after eight of them each word has its own variable again. */
const TURN = 8;
const BLOCK_BYTES = 64;

/** Local variables: number of blocks, index and offset of the block, offset of the round, words a to h, a word. */
const [BLOCKS, INDEX, BLOCK_AT, ROUND_AT, A, WORD] = [0, 1, 2, 3, 4, 12];

/** Offsets in the memory of a module. */
interface MemoryLayout {
  readonly schedule: number;
  readonly state: number;
  readonly digest: number;
  readonly counts: number;
  readonly input: number;
}

/** MemoryLayout for words of `size` bytes. The constants of the rounds are at 0. */
function layoutOf(size: number): MemoryLayout {
  const [schedule, state] = [ROUNDS * size, 2 * ROUNDS * size];
  return { schedule, state, digest: state + 8 * size, counts: state + 16 * size, input: 4096 };
}

/**
 * SHA-256, FIPS 180-4, 6.2.2, as a module. `run(blocks)` hashes so many blocks at `input` into `state`, and writes the
 * digest as bytes. Each message takes part for its number in `counts`. `distance`: from a message to the next.
 */
function sha256Module(words: Words, distance: number): Uint8Array<ArrayBuffer> {
  const size = 4 * words.lanes;
  const at = layoutOf(size);
  const { load, store } = words;
  const state = (nth: number) => load(i32(0), at.state + nth * size);
  const gathered = times(16, (nth) => [
    set(WORD, words.gather(get(BLOCK_AT), at.input + 4 * nth, distance)),
    store(i32(0), at.schedule + nth * size, words.swap(get(WORD))),
  ]);
  const added = times(8, (nth) =>
    store(i32(0), at.state + nth * size, words.add(state(nth), words.keep(get(A + nth), get(INDEX), at.counts))),
  );
  const block = [
    gathered,
    rounds(16, size, (nth) => schedule(words, at.schedule, nth)),
    times(8, (nth) => set(A + nth, state(nth))),
    rounds(0, size, (nth) => round(words, at.schedule, nth)),
    added,
    set(INDEX, add(get(INDEX), i32(1))),
    set(BLOCK_AT, add(get(BLOCK_AT), i32(BLOCK_BYTES))),
  ];
  const digest = times(8, (nth) => store(i32(0), at.digest + nth * size, words.swap(state(nth))));
  const body = [loop(block, isLess(get(INDEX), get(BLOCKS))), digest];
  return moduleOf(at.input + words.lanes * distance, { indexes: 3, words: 9, type: words.type }, body);
}

function times(count: number, code: (nth: number) => Instructions): Instructions {
  return Array.from({ length: count }, (_, nth) => code(nth));
}

/** A loop over the rounds from `first` on. */
function rounds(first: number, size: number, code: (nth: number) => Instructions): Instructions {
  const turn = [times(TURN, code), set(ROUND_AT, add(get(ROUND_AT), i32(TURN * size)))];
  return [set(ROUND_AT, i32(first * size)), loop(turn, isLess(get(ROUND_AT), i32(ROUNDS * size)))];
}

/** Step 1: a further word of the message schedule. */
function schedule({ lanes, load, store, add: sum, xor, shr, rotr }: Words, place: number, nth: number): Instructions {
  const word = (back: number) => load(get(ROUND_AT), place + (nth - back) * 4 * lanes);
  const [far, near] = [word(15), word(2)];
  const low = xor(xor(rotr(far, 7), rotr(far, 18)), shr(far, 3));
  const high = xor(xor(rotr(near, 17), rotr(near, 19)), shr(near, 10));
  return store(get(ROUND_AT), place + nth * 4 * lanes, sum(sum(word(16), low), sum(word(7), high)));
}

/** Step 3: a round. No word moves; with each round each variable stands for the next word. */
function round({ lanes, load, add: sum, and, xor, rotr }: Words, place: number, nth: number): Instructions {
  const variable = (word: number) => A + ((word + TURN - nth) % 8);
  const word = (name: number) => get(variable(name));
  const [a, b, c] = [word(0), word(1), word(2)];
  const [e, f, g, h] = [word(4), word(5), word(6), word(7)];
  const mixed = (word: Instructions, one: number, two: number, three: number) =>
    xor(xor(rotr(word, one), rotr(word, two)), rotr(word, three));
  const choice = xor(g, and(e, xor(f, g)));
  const majority = xor(and(a, b), and(c, xor(a, b)));
  const input = sum(load(get(ROUND_AT), nth * 4 * lanes), load(get(ROUND_AT), place + nth * 4 * lanes));
  return [
    set(WORD, sum(sum(h, mixed(e, 6, 11, 25)), sum(choice, input))),
    set(variable(3), sum(get(variable(3)), get(WORD))),
    set(variable(7), sum(get(WORD), sum(mixed(a, 2, 13, 22), majority))),
  ];
}

/** FIPS 180-4, 4.2.2 and 5.3.3: the first 32 bits behind the point of the cube and square roots of primes. */
const CONSTANTS: readonly number[] = primes(ROUNDS).map((prime) => Math.cbrt(prime) * 2 ** 32);
const START: readonly number[] = primes(8).map((prime) => Math.sqrt(prime) * 2 ** 32);

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next++) if (found.every((prime) => next % prime > 0)) found.push(next);
  return found;
}
