import { concatBytes } from '../../core/json/utf8.ts';

/** A place in a WASM binary. The bytes have been checked against a pinned hash, so an unexpected byte is a defect. */
export interface Reader {
  readonly wasm: Uint8Array;
  at: number;
}

export interface WasmSection {
  readonly id: number;
  readonly payload: Uint8Array;
}

const HEADER_BYTES = 8;

export function byte(reader: Reader): number {
  const value = reader.wasm[reader.at++];
  if (value === undefined) throw new RangeError('The binary ends too early');
  return value;
}

/** Unsigned LEB128, up to 32 bits. */
export function number(reader: Reader): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const next = byte(reader);
    value |= (next & 127) << shift;
    if ((next & 128) === 0) return value >>> 0;
  }
}

/** Moves past a LEB128 of any width and sign. */
export function skipNumber(reader: Reader): void {
  while ((byte(reader) & 128) !== 0);
}

/** Signed LEB128, up to 32 bits. */
export function signedNumber(reader: Reader): number {
  let value = 0;
  for (let shift = 0; ; ) {
    const next = byte(reader);
    value |= (next & 127) << shift;
    shift += 7;
    if ((next & 128) === 0) return shift < 32 && (next & 64) !== 0 ? value | (-1 << shift) : value;
  }
}

/** The bytes of a signed LEB128. */
export function signedLeb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const isLast = rest >= -64 && rest < 64;
    bytes.push((rest & 127) | (isLast ? 0 : 128));
    if (isLast) return bytes;
  }
}

/** The bytes of an unsigned LEB128; `width` pads it, for a number that replaces another number in place. */
export function leb(value: number, width = 1): number[] {
  const bytes: number[] = [];
  for (let rest = value; bytes.length < width || rest > 0; rest >>>= 7) bytes.push((rest & 127) | 128);
  return bytes.map((part, i) => (i === bytes.length - 1 ? part & 127 : part));
}

/** Moves past the declarations of locals that a function's body begins with. */
export function skipLocals(reader: Reader): void {
  for (let left = number(reader); left > 0; left--) {
    skipNumber(reader);
    byte(reader);
  }
}

export function sectionsOf(wasm: Uint8Array): readonly WasmSection[] {
  const reader: Reader = { wasm, at: HEADER_BYTES };
  const sections: WasmSection[] = [];
  while (reader.at < wasm.length) {
    const id = byte(reader);
    const length = number(reader);
    sections.push({ id, payload: wasm.subarray(reader.at, reader.at + length) });
    reader.at += length;
  }
  return sections;
}

export function binaryOf(wasm: Uint8Array, sections: readonly WasmSection[]): Uint8Array<ArrayBuffer> {
  const parts = sections.flatMap(({ id, payload }) => [Uint8Array.of(id, ...leb(payload.length)), payload]);
  return concatBytes([wasm.subarray(0, HEADER_BYTES), ...parts]);
}

/** A vector with an added item at its end. */
export function appended(vector: Uint8Array, item: readonly number[]): Uint8Array {
  const reader: Reader = { wasm: vector, at: 0 };
  const count = number(reader);
  return concatBytes([Uint8Array.from(leb(count + 1)), vector.subarray(reader.at), Uint8Array.from(item)]);
}

/** Number of items in a vector. */
export function countOf(vector: Uint8Array): number {
  return number({ wasm: vector, at: 0 });
}

export const OPCODE = {
  call: 0x10,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  const: 0x41,
  add: 0x6a,
  sub: 0x6b,
} as const;

/**
 * Moves past one instruction and its immediates; returns its opcode. Throws for an instruction that the pinned build
 * does not use.
 */
export function skipInstruction(reader: Reader): number {
  const opcode = byte(reader);
  const numbers = immediatesOf(opcode);
  for (let i = 0; i < numbers; i++) skipNumber(reader);
  if (opcode === 0x0e) skipVector(reader);
  if (opcode === 0x43) reader.at += 4;
  if (opcode === 0x44) reader.at += 8;
  if (opcode === 0xfc) skipExtended(reader);
  return opcode;
}

/** Number of LEB128 immediates; the caller skips other immediates. */
function immediatesOf(opcode: number): number {
  // block, loop, if; br, br_if; call
  if ((opcode >= 0x02 && opcode <= 0x04) || opcode === 0x0c || opcode === 0x0d || opcode === OPCODE.call) return 1;
  // call_indirect: type, table
  if (opcode === 0x11) return 2;
  // locals and globals
  if (opcode >= 0x20 && opcode <= 0x24) return 1;
  // loads and stores: alignment, offset
  if (opcode >= 0x28 && opcode <= 0x3e) return 2;
  // memory.size, memory.grow; i32.const, i64.const
  if (opcode >= 0x3f && opcode <= 0x42) return 1;
  const plain = [0x00, 0x01, 0x05, 0x0b, 0x0e, 0x0f, 0x1a, 0x1b, 0x43, 0x44, 0xfc];
  if (plain.includes(opcode) || (opcode >= 0x45 && opcode <= 0xc4)) return 0;
  throw new RangeError(`The binary has the instruction 0x${opcode.toString(16)}`);
}

function skipVector(reader: Reader): void {
  for (let left = number(reader); left >= 0; left--) skipNumber(reader);
}

/** Saturating conversions have no immediates; memory.copy has two, memory.fill a single immediate. */
function skipExtended(reader: Reader): void {
  const kind = number(reader);
  if (kind > 7 && kind !== 10 && kind !== 11) throw new RangeError(`The binary has the instruction 0xfc ${kind}`);
  if (kind > 7) reader.at += kind === 10 ? 2 : 1;
}
