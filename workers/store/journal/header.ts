import { assert } from '../../../core/assert.ts';

/** Bytes of a header: `SPJ`, the state, and the length and CRC-32 of the body, each in 32 bits, little-endian. */
export const HEADER = 12;
const MAGIC = [0x53, 0x50, 0x4a] as const;
/**
 * `bound` counts like `live` if a whole frame follows, and behind that frame another one while it is bound, too.
 * `wiping` while the body is being overwritten, `void` after that.
 */
const STATES = { live: 0x31, bound: 0x32, wiping: 0x77, void: 0x78 } as const;
export type FrameState = keyof typeof STATES;

/** Offset of the meta part in a body, behind its length. */
export const META_AT = 4;

export interface Header {
  readonly state: FrameState;
  readonly length: number;
  readonly crc: number;
}

/** Offsets of the state, of the length and of the CRC in a header. */
export const STATE_AT = 3;
const LENGTH_AT = 4;
export const CRC_AT = 8;

export function stateByte(state: FrameState): Uint8Array {
  return Uint8Array.of(STATES[state]);
}

export function encodeHeader(header: Header): Uint8Array {
  const bytes = new Uint8Array(HEADER);
  writeHeader(new DataView(bytes.buffer), header);
  return bytes;
}

/** Writes a header at the beginning of these bytes. */
export function writeHeader(view: DataView, { state, length, crc }: Header): void {
  for (const [at, byte] of MAGIC.entries()) view.setUint8(at, byte);
  view.setUint8(STATE_AT, STATES[state]);
  view.setUint32(LENGTH_AT, length, true);
  view.setUint32(CRC_AT, crc, true);
}

/** Undefined where no frame begins. */
export function decodeHeader(bytes: Uint8Array): Header | undefined {
  if (bytes.length < HEADER || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined;
  const state = (Object.keys(STATES) as FrameState[]).find((each) => STATES[each] === bytes[STATE_AT]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  return state && { state, length: view.getUint32(LENGTH_AT, true), crc: view.getUint32(CRC_AT, true) };
}

/**
 * True if this body is as written. A wiped body is zeros and counts as whole. An empty body is not whole, although its
 * check sum would be 0: a torn header reads like that.
 */
export function isWhole({ state, crc }: Header, body: Uint8Array): boolean {
  return !hasContents(state) || (body.length > META_AT && crc32(body) === crc);
}

/** True for a frame that still has its contents. */
export function hasContents(state: FrameState): boolean {
  return state === 'live' || state === 'bound';
}

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
