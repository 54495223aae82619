/**
 * SHA-256 (FIPS 180-4), one message at a time: `begin`, any number of `add` and `addText`, then `endHex` or `endBytes`.
 *
 * Written out here because hashing was the largest part of a step, which hashes some twenty-five short messages: in a
 * Chromium worker this is three to four times as fast as `@noble/hashes` for those, and twice as fast for long ones.
 * What makes the difference: signed words, and nothing allocated but the answer. The tests hold it to the platform's.
 */
const BLOCK = 64;
/** What of the message is not compressed yet. Nearly every message fits. */
const buffer = new Uint8Array(16_384);
const words = new DataView(buffer.buffer);
const schedule = new Int32Array(64);
const state = new Int32Array(8);
const utf8 = new TextEncoder();
/** Bytes in the buffer, and bytes that were in it and are compressed. */
let filled = 0;
let passed = 0;

/** The first 32 bits of the fractions of the square roots of the first 8 primes. */
// biome-ignore format: as the standard prints them
const INITIAL = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);
/** The same of the cube roots of the first 64. */
// biome-ignore format: as the standard prints them
const ROUND = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

/** Begins a message. One that was not ended is forgotten. */
export function begin(): void {
  state.set(INITIAL);
  filled = 0;
  passed = 0;
}

export function add(bytes: Uint8Array): void {
  let at = 0;
  while (bytes.length - at > buffer.length - filled) {
    const part = bytes.subarray(at, at + buffer.length - filled);
    put(part);
    at += part.length;
    compressWhole();
  }
  put(at === 0 ? bytes : bytes.subarray(at));
}

/** Adds the text's UTF-8. The text is well-formed: half a surrogate pair would hash as U+FFFD. */
export function addText(text: string): void {
  // a UTF-16 unit takes at most three bytes
  if (text.length * 3 > buffer.length - filled) add(utf8.encode(text));
  else filled += utf8.encodeInto(text, buffer.subarray(filled)).written;
}

/** Ends the message. Its digest. */
export function endBytes(): Uint8Array {
  finish();
  const digest = new Uint8Array(32);
  for (let at = 0; at < 32; at++) digest[at] = byteOf(at);
  return digest;
}

const DIGITS: readonly number[] = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const codes: number[] = Array.from({ length: 64 }, () => 0);

/** Ends the message. Its digest in 64 digits, made in one piece: added up, each would be kept as a tree of strings. */
export function endHex(): string {
  finish();
  for (let at = 0; at < 32; at++) {
    const byte = byteOf(at);
    codes[2 * at] = DIGITS[byte >> 4] as number;
    codes[2 * at + 1] = DIGITS[byte & 15] as number;
  }
  return String.fromCharCode(...codes);
}

function byteOf(at: number): number {
  return (wordOf(at >> 2) >>> (24 - 8 * (at & 3))) & 255;
}

function wordOf(at: number): number {
  return state[at] as number;
}

function put(bytes: Uint8Array): void {
  buffer.set(bytes, filled);
  filled += bytes.length;
}

/** Compresses the whole blocks in the buffer, and moves what is left to its beginning. */
function compressWhole(): void {
  const whole = filled - (filled % BLOCK);
  compress(whole);
  buffer.copyWithin(0, whole, filled);
  passed += whole;
  filled -= whole;
}

/** A one, zeros, and the length in bits as the last eight bytes of a block. */
function finish(): void {
  const bits = (passed + filled) * 8;
  compressWhole();
  buffer[filled++] = 0x80;
  const length = filled > BLOCK - 8 ? 2 * BLOCK : BLOCK;
  buffer.fill(0, filled, length);
  words.setUint32(length - 8, Math.floor(bits / 2 ** 32));
  words.setUint32(length - 4, bits);
  compress(length);
}

function compress(length: number): void {
  for (let block = 0; block < length; block += BLOCK) {
    expand(block);
    mix();
  }
}

/** FIPS 180-4, 6.2.2, step 1: sixteen words of the block become sixty-four. */
function expand(block: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) w[t] = words.getInt32(block + 4 * t);
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15] as number;
    const y = w[t - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (s1 + (w[t - 7] as number) + s0 + (w[t - 16] as number)) | 0;
  }
}

/** Steps 2 to 4. One by one and not by patterns of arrays, with which the engine would lose sight of integers. */
function mix(): void {
  let a = wordOf(0);
  let b = wordOf(1);
  let c = wordOf(2);
  let d = wordOf(3);
  let e = wordOf(4);
  let f = wordOf(5);
  let g = wordOf(6);
  let h = wordOf(7);
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + (ROUND[t] as number) + (schedule[t] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = wordOf(0) + a;
  state[1] = wordOf(1) + b;
  state[2] = wordOf(2) + c;
  state[3] = wordOf(3) + d;
  state[4] = wordOf(4) + e;
  state[5] = wordOf(5) + f;
  state[6] = wordOf(6) + g;
  state[7] = wordOf(7) + h;
}
