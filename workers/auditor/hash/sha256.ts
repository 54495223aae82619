import { add, get, type Instructions, i32, isLess, loop, moduleOf, set, type Words } from './wasm.ts';

const ROUNDS = 64;
/** Rounds a turn of a loop: after eight of them each word has its own variable again. */
const TURN = 8;
export const BLOCK_BYTES = 64;

/** Local variables: number of blocks, index and offset of the block, offset of the round, words a to h, a word. */
const [BLOCKS, INDEX, BLOCK_AT, ROUND_AT, A, WORD] = [0, 1, 2, 3, 4, 12];

/** Offsets in the memory of a module. */
export interface MemoryLayout {
  readonly schedule: number;
  readonly state: number;
  readonly digest: number;
  readonly counts: number;
  readonly input: number;
}

/** MemoryLayout for words of `size` bytes. The constants of the rounds are at 0. */
export function layoutOf(size: number): MemoryLayout {
  const [schedule, state] = [ROUNDS * size, 2 * ROUNDS * size];
  return { schedule, state, digest: state + 8 * size, counts: state + 16 * size, input: 4096 };
}

/**
 * SHA-256, FIPS 180-4, 6.2.2, as a module. `run(blocks)` hashes so many blocks at `input` into `state`, and writes the
 * digest as bytes. Each message takes part for its number in `counts`. `distance`: from a message to the next.
 */
export function sha256Module(words: Words, distance: number): Uint8Array<ArrayBuffer> {
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
export const CONSTANTS: readonly number[] = primes(ROUNDS).map((prime) => Math.cbrt(prime) * 2 ** 32);
export const START: readonly number[] = primes(8).map((prime) => Math.sqrt(prime) * 2 ** 32);

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next++) if (found.every((prime) => next % prime > 0)) found.push(next);
  return found;
}
