import { type BatchHash, type HashHex, useSha256 } from '../../../core/hash.ts';
import { add, FOUR, get, type Instructions, i32, isLess, loop, moduleOf, ONE, set, type Words } from './wasm.ts';

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
