import { Chi, HashMD, Maj, SHA256_IV } from '@noble/hashes/_md.js';
import { rotr } from '@noble/hashes/utils.js';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const LENGTH_BYTES = 8;
const ROUNDS = 64;

/**
 * FIPS 180-4, 4.2.2: the first 32 bits behind the point of the cube roots of the first 64 primes. Each value is at
 * least 2^-40 of itself away from the next integer, so any engine's `Math.cbrt` gives the same bits.
 */
const K: Int32Array = Int32Array.from(primes(ROUNDS), (prime) => Math.cbrt(prime) * 2 ** 32);

/** 6.2.2, step 1: the message schedule of the block at hand. */
const W = new Int32Array(ROUNDS);

/**
 * SHA-256, FIPS 180-4, on noble's construction and functions. Noble's loop over a block loads the words of a hash
 * without cutting them to 32 bits; to the engines of Chromium and Firefox they are doubles from then on, with all that
 * is added to them. With words from a typed array, and with each sum cut at once, a block takes less than half the time
 * there; in Node it is the same. More functions in the loop than these, and Firefox calls them. Tests hold it against
 * noble's and the platform's.
 */
export class Sha256 extends HashMD<Sha256> {
  private readonly words = new Int32Array(SHA256_IV);

  constructor() {
    super(BLOCK_BYTES, HASH_BYTES, LENGTH_BYTES, false);
  }

  protected process(block: DataView, offset: number): void {
    for (let at = 0; at < 16; at++) W[at] = block.getInt32(offset + 4 * at);
    for (let at = 16; at < ROUNDS; at++) {
      const far = W[at - 15] as number;
      const near = W[at - 2] as number;
      const low = rotr(far, 7) ^ rotr(far, 18) ^ (far >>> 3);
      const high = rotr(near, 17) ^ rotr(near, 19) ^ (near >>> 10);
      W[at] = sum(sum(W[at - 16] as number, low), sum(W[at - 7] as number, high));
    }
    const { words } = this;
    let a = words[0] as number;
    let b = words[1] as number;
    let c = words[2] as number;
    let d = words[3] as number;
    let e = words[4] as number;
    let f = words[5] as number;
    let g = words[6] as number;
    let h = words[7] as number;
    for (let at = 0; at < ROUNDS; at++) {
      const asked = sum(rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25), Chi(e, f, g));
      const first = sum(sum(h, asked), sum(K[at] as number, W[at] as number));
      const second = sum(rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22), Maj(a, b, c));
      h = g;
      g = f;
      f = e;
      e = sum(d, first);
      d = c;
      c = b;
      b = a;
      a = sum(first, second);
    }
    words[0] = ((words[0] as number) + a) | 0;
    words[1] = ((words[1] as number) + b) | 0;
    words[2] = ((words[2] as number) + c) | 0;
    words[3] = ((words[3] as number) + d) | 0;
    words[4] = ((words[4] as number) + e) | 0;
    words[5] = ((words[5] as number) + f) | 0;
    words[6] = ((words[6] as number) + g) | 0;
    words[7] = ((words[7] as number) + h) | 0;
  }

  protected get(): number[] {
    const all: number[] = [];
    for (let at = 0; at < 8; at++) all.push(this.words[at] as number);
    return all;
  }

  protected set(...words: readonly number[]): void {
    this.words.set(words);
  }

  _cloneInto(to: Sha256 = new Sha256()): Sha256 {
    to.words.set(this.words);
    return this._cloneIntoMeta(to);
  }

  /** Buffers are not wiped, here or below: the hashed text is not a key, and stays in memory anyway. */
  protected roundClean(): void {}

  destroy(): void {
    this.destroyed = true;
  }
}

function sum(one: number, other: number): number {
  return (one + other) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next++) if (found.every((prime) => next % prime > 0)) found.push(next);
  return found;
}
