import { byte, number, type Reader, skipNumber } from './binary.ts';

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
