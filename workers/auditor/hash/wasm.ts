/**
 * The part of WebAssembly that a hash needs. Each function returns its operands and then its opcode, so nested calls
 * read like the text format of WebAssembly. `moduleOf` makes the bytes.
 */
export type Instructions = readonly (number | Instructions)[];

/** Opcodes by the names of the WebAssembly specification; those from `V128` on stand behind the prefix 0xfd. */
const CONTROL = { loop: 0x03, end: 0x0b, br_if: 0x0d };
const LOCAL = { get: 0x20, set: 0x21 };
const I32 = { load: 0x28, store: 0x36, const: 0x41, lt_u: 0x49, add: 0x6a, and: 0x71, xor: 0x73, shr_u: 0x76 };
const I32_ROTATION = { rotl: 0x77, rotr: 0x78 };
const V128 = { load: 0x00, load32_splat: 0x09, store: 0x0b, and: 0x4e, or: 0x50, xor: 0x51, load32_lane: 0x56 };
const I8X16 = { shuffle: 0x0d };
const I32X4 = { splat: 0x11, gt_u: 0x3c, shl: 0xab, shr_u: 0xad, add: 0xae };

const NO_RESULT = 0x40;
/** Types of a value. */
const TYPE = { i32: 0x7f, v128: 0x7b, func: 0x60 };

/** Unsigned LEB128: an integer of the binary format. */
function leb(value: number): Instructions {
  return value < 128 ? [value] : [(value & 127) | 128, leb(value >>> 7)];
}

/** Signed LEB128: the constant of an instruction. */
function signed(value: number): Instructions {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, signed(value >> 7)];
}

export const i32 = (value: number): Instructions => [I32.const, signed(value)];
export const get = (local: number): Instructions => [LOCAL.get, local];
export const set = (local: number, value: Instructions): Instructions => [value, LOCAL.set, local];
export const add = (one: Instructions, other: Instructions): Instructions => [one, other, I32.add];
export const isLess = (one: Instructions, other: Instructions): Instructions => [one, other, I32.lt_u];

/** Runs the body, and again as long as the condition behind it holds. */
export function loop(body: Instructions, condition: Instructions): Instructions {
  return [CONTROL.loop, NO_RESULT, body, condition, CONTROL.br_if, 0, CONTROL.end];
}

/** Instructions over 32-bit words: of one message, or of several messages side by side. */
export interface Words {
  /** Type of a local variable. */
  readonly type: number;
  /** Number of messages. */
  readonly lanes: number;
  load(address: Instructions, offset: number): Instructions;
  store(address: Instructions, offset: number, value: Instructions): Instructions;
  add(one: Instructions, other: Instructions): Instructions;
  and(one: Instructions, other: Instructions): Instructions;
  xor(one: Instructions, other: Instructions): Instructions;
  shr(value: Instructions, bits: number): Instructions;
  rotr(value: Instructions, bits: number): Instructions;
  /** The words at the same place of all messages, each of which begins `distance` bytes behind the one before. */
  gather(address: Instructions, offset: number, distance: number): Instructions;
  /** The words with their bytes in reverse. The value is computed twice. */
  swap(value: Instructions): Instructions;
  /** The words of the messages whose number at `offset` is greater than the index; zero for the other messages. */
  keep(value: Instructions, index: Instructions, offset: number): Instructions;
}

/** Words of one message: `i32`. */
export const ONE: Words = {
  type: TYPE.i32,
  lanes: 1,
  load: (address, offset) => [address, I32.load, 2, leb(offset)],
  store: (address, offset, value) => [address, value, I32.store, 2, leb(offset)],
  add,
  and: (one, other) => [one, other, I32.and],
  xor: (one, other) => [one, other, I32.xor],
  shr: (value, bits) => [value, i32(bits), I32.shr_u],
  rotr: (value, bits) => [value, i32(bits), I32_ROTATION.rotr],
  gather: (address, offset) => ONE.load(address, offset),
  swap: (value) => [
    ONE.and([value, i32(8), I32_ROTATION.rotl], i32(0x00ff00ff)),
    ONE.and([value, i32(8), I32_ROTATION.rotr], i32(~0x00ff00ff)),
    I32.xor,
  ],
  keep: (value) => value,
};

const simd = (opcode: number, ...immediates: Instructions): Instructions => [0xfd, leb(opcode), immediates];
const REVERSED = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

/** Words of four messages: `i32x4`. */
export const FOUR: Words = {
  type: TYPE.v128,
  lanes: 4,
  load: (address, offset) => [address, simd(V128.load, 4, leb(offset))],
  store: (address, offset, value) => [address, value, simd(V128.store, 4, leb(offset))],
  add: (one, other) => [one, other, simd(I32X4.add)],
  and: (one, other) => [one, other, simd(V128.and)],
  xor: (one, other) => [one, other, simd(V128.xor)],
  shr: (value, bits) => [value, i32(bits), simd(I32X4.shr_u)],
  rotr: (value, bits) => [FOUR.shr(value, bits), value, i32(32 - bits), simd(I32X4.shl), simd(V128.or)],
  gather: (address, offset, distance) =>
    [1, 2, 3].reduce<Instructions>(
      (words, lane) => [address, words, simd(V128.load32_lane, 2, leb(offset + lane * distance), lane)],
      [address, simd(V128.load32_splat, 2, leb(offset))],
    ),
  swap: (value) => [value, value, simd(I8X16.shuffle, REVERSED)],
  keep: (value, index, offset) =>
    FOUR.and(value, [FOUR.load(i32(0), offset), index, simd(I32X4.splat), simd(I32X4.gt_u)]),
};

function bytesOf(code: Instructions): number[] {
  return (code as readonly unknown[]).flat(Number.POSITIVE_INFINITY) as number[];
}

const SECTION = { types: 1, functions: 3, memories: 5, exports: 7, code: 10 };
const PAGE_BYTES = 65_536;

function section(id: number, content: Instructions): Instructions {
  const bytes = bytesOf(content);
  return [id, leb(bytes.length), bytes];
}

/**
 * A module that exports a memory of so many bytes and `run`, a function of one `i32`. Behind its parameter the function
 * has `indexes` variables of the type `i32` and then `words` variables of this type.
 */
export function moduleOf(
  bytes: number,
  { indexes, words, type }: { readonly indexes: number; readonly words: number; readonly type: number },
  body: Instructions,
): Uint8Array<ArrayBuffer> {
  const run = bytesOf([2, indexes, TYPE.i32, words, type, body, CONTROL.end]);
  const named = (name: string, kind: number) => [name.length, [...new TextEncoder().encode(name)], kind, 0];
  const code = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(SECTION.types, [1, TYPE.func, 1, TYPE.i32, 0]),
    section(SECTION.functions, [1, 0]),
    section(SECTION.memories, [1, 0, leb(Math.ceil(bytes / PAGE_BYTES))]),
    section(SECTION.exports, [2, named('memory', 2), named('run', 0)]),
    section(SECTION.code, [1, leb(run.length), run]),
  ];
  return Uint8Array.from(bytesOf(code));
}
