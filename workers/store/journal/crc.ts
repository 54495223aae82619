import { assert } from '../../../core/assert.ts';

/** Signed 32-bit words, which the engine stores without conversion. */
const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** Undefined where the host gave no function: then our own loop computes. */
let platform: ((bytes: Uint8Array) => number) | undefined;

/** Computes check sums with the host's function from now on. Throws for a function that computes another sum. */
export function useCrc32(crc: ((bytes: Uint8Array) => number) | undefined): void {
  assert(crc === undefined || crc(Uint8Array.from(DIGITS)) === 0xcbf43926, 'a function that computes CRC-32');
  platform = crc;
}

/** 1 to 9 in ASCII. */
const DIGITS: readonly number[] = [0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39];

/** CRC-32 of ISO 3309, as in zip and PNG. It finds a torn write; the hashes find an alteration. */
export function crc32(bytes: Uint8Array): number {
  return platform === undefined ? ownCrc32(bytes) : platform(bytes);
}

function ownCrc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) {
    crc = (TABLE[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
