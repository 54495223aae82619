import { concatBytes } from '../../core/json/utf8.ts';
import {
  appended,
  binaryOf,
  byte,
  countOf,
  leb,
  number,
  OPCODE,
  type Reader,
  sectionsOf,
  signedLeb,
  signedNumber,
  skipInstruction,
  skipLocals,
  skipNumber,
  type WasmSection,
} from './binary.ts';

const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const;
const KIND = { function: 0, memory: 2, global: 3 } as const;
const I32 = 0x7f;

/** The exported global that holds the lowest address the C stack has had since the host last set it. */
export const STACK_LOW = 'low';

/**
 * The pinned build, with three changes. Its memory starts at `pages`: the shipped build asks for 16 MiB at once, and every
 * byte of it would have to be cleared before each call. And every time the stack pointer is set, the lowest value is
 * kept in a global of its own: so the host knows how deep a call went, clears that much and no more, and sees a passed
 * stack limit without believing the guest. And its frames are wider, so that its stack limit is passed before the host's.
 */
export function prepareWasm(wasm: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const sections = sectionsOf(wasm);
  const of = (id: number): Uint8Array => {
    const found = sections.find((section) => section.id === id);
    if (found === undefined) throw new RangeError(`The binary has no section ${id}`);
    return found.payload;
  };
  const { functions, minimum } = importsOf(of(SECTION.import));
  const tracker = functions + countOf(of(SECTION.function));
  const low = countOf(of(SECTION.global));
  const changed: { readonly [id: number]: Uint8Array } = {
    [SECTION.import]: replaced(of(SECTION.import), minimum, leb(pages, minimum.to - minimum.from)),
    [SECTION.function]: appended(of(SECTION.function), leb(typeTaking(of(SECTION.type)))),
    [SECTION.global]: appended(of(SECTION.global), [I32, 1, 0x41, 0, 0x0b]),
    [SECTION.export]: appended(of(SECTION.export), [STACK_LOW.length, ...codesOf(STACK_LOW), KIND.global, ...leb(low)]),
    [SECTION.code]: appended(tracked(of(SECTION.code), tracker), trackerBody(low)),
  };
  return binaryOf(
    wasm,
    sections.map(({ id, payload }): WasmSection => ({ id, payload: changed[id] ?? payload })),
  );
}

function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/** Sets the stack pointer, global 0, to the argument, and the lowest stack pointer when the argument is lower. */
function trackerBody(low: number): number[] {
  const index = leb(low);
  const set = [0x20, 0, 0x24, 0];
  const ifLower = [0x20, 0, 0x23, ...index, 0x49, 0x04, 0x40];
  const code = [0, ...set, ...ifLower, 0x20, 0, 0x24, ...index, 0x0b, 0x0b];
  return [...leb(code.length), ...code];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function replaced(bytes: Uint8Array, { from, to }: Span, by: readonly number[]): Uint8Array {
  if (by.length !== to - from) throw new RangeError('The new number does not fit in the place of the old');
  return concatBytes([bytes.subarray(0, from), Uint8Array.from(by), bytes.subarray(to)]);
}

/** Number of imported functions, and the place of the imported memory's minimum size. */
function importsOf(section: Uint8Array): { functions: number; minimum: Span } {
  const reader: Reader = { wasm: section, at: 0 };
  let functions = 0;
  let minimum: Span | undefined;
  for (let left = number(reader); left > 0; left--) {
    skipName(reader);
    skipName(reader);
    const kind = byte(reader);
    if (kind === KIND.function) functions += one(reader);
    else if (kind === KIND.memory) minimum = limits(reader);
    else throw new RangeError(`The binary imports something of kind ${kind}`);
  }
  if (minimum === undefined) throw new RangeError('The binary imports no memory');
  return { functions, minimum };
}

/** Skips a function's type; counts as 1. */
function one(reader: Reader): 1 {
  skipNumber(reader);
  return 1;
}

function limits(reader: Reader): Span {
  byte(reader);
  const from = reader.at;
  number(reader);
  const to = reader.at;
  number(reader);
  return { from, to };
}

function skipName(reader: Reader): void {
  const length = number(reader);
  reader.at += length;
}

/** The type of functions that take an i32 and return no value. */
function typeTaking(section: Uint8Array): number {
  const reader: Reader = { wasm: section, at: 0 };
  const count = number(reader);
  for (let index = 0; index < count; index++) {
    byte(reader);
    const [params, results] = [valueTypes(reader), valueTypes(reader)];
    if (params.length === 1 && params[0] === I32 && results.length === 0) return index;
  }
  throw new RangeError('The binary has no function that takes one i32');
}

function valueTypes(reader: Reader): Uint8Array {
  const length = number(reader);
  reader.at += length;
  return reader.wasm.subarray(reader.at - length, reader.at);
}

/** The code section with wider frames, and a call of the tracker for each `global.set 0`. */
function tracked(section: Uint8Array, tracker: number): Uint8Array {
  const reader: Reader = { wasm: section, at: 0 };
  const count = number(reader);
  const parts: Uint8Array[] = [Uint8Array.from(leb(count))];
  for (let left = count; left > 0; left--) {
    const length = number(reader);
    const body = trackedBody(widened(section.subarray(reader.at, reader.at + length)), tracker);
    parts.push(Uint8Array.from(leb(body.length)), body);
    reader.at += length;
  }
  return concatBytes(parts);
}

function trackedBody(body: Uint8Array, tracker: number): Uint8Array {
  const reader: Reader = { wasm: body, at: 0 };
  const call = Uint8Array.of(OPCODE.call, ...leb(tracker));
  const parts: Uint8Array[] = [];
  let copied = 0;
  skipLocals(reader);
  while (reader.at < body.length) {
    const at = reader.at;
    if (skipInstruction(reader) !== OPCODE.globalSet) continue;
    parts.push(body.subarray(copied, at), call);
    copied = reader.at;
  }
  return copied === 0 ? body : concatBytes([...parts, body.subarray(copied)]);
}

/**
 * Bytes added to every C stack frame. The engine bounds its C stack, which is in the guest's memory. The locals of a
 * WebAssembly function are on the host's own stack, of which each browser has another size and each compiler tier
 * another use. Deep natives (parsing, `JSON`, `toString` of nested arrays) came to the end of that first, with a trap
 * and at another depth in every engine. A frame of the pinned build takes up to 1.6 KB of the host's stack per turn of
 * such a recursion: with this much more in each frame the engine's own limit comes first, the same everywhere.
 */
export const FRAME_BYTES_MORE = 512;

interface Instruction {
  readonly opcode: number;
  readonly at: number;
  readonly to: number;
}

/** A constant of a frame's size, and its new value. */
interface Edit extends Instruction {
  readonly value: number;
}

/** `global.get 0; i32.const size; i32.sub; local.tee frame; global.set 0`, or the same as an addition of `-size`. */
const OPENING = [OPCODE.globalGet, OPCODE.const, undefined, OPCODE.localTee, OPCODE.globalSet];
/** `local.get frame; i32.const size; i32.add; global.set 0`, or the same as a subtraction. */
const CLOSING = [OPCODE.localGet, OPCODE.const, undefined, OPCODE.globalSet];

/**
 * A function's body with a wider frame. Locals of C stay where they are, from the frame's lower end up; the rest of the
 * frame is never used. A function that opens its frame in another way is left unchanged.
 */
function widened(body: Uint8Array): Uint8Array {
  const code = instructionsOf(body);
  const at = code.findIndex((_, i) => frameAt(body, code, i) !== undefined);
  const frame = frameAt(body, code, at);
  if (frame === undefined) return body;
  const edits = [frame.edit, ...code.flatMap((_, i) => closingAt(body, code, i, frame))];
  if (edits.length < 2) throw new RangeError('A frame is opened and never closed');
  let copied = 0;
  const parts = edits.flatMap(({ at: from, to, value }) => {
    const before = body.subarray(copied, from);
    copied = to;
    return [before, Uint8Array.of(OPCODE.const, ...signedLeb(value))];
  });
  return concatBytes([...parts, body.subarray(copied)]);
}

interface Frame {
  readonly size: number;
  readonly local: number;
  readonly edit: Edit;
}

function frameAt(body: Uint8Array, code: readonly Instruction[], i: number): Frame | undefined {
  const [, size, change, tee] = matched(code, i, OPENING) ?? [];
  if (size === undefined || change === undefined || tee === undefined) return undefined;
  const sign = change.opcode === OPCODE.sub ? 1 : -1;
  const bytes = sign * constant(body, size);
  if (bytes <= 0) return undefined;
  return { size: bytes, local: index(body, tee), edit: { ...size, value: sign * (bytes + FRAME_BYTES_MORE) } };
}

function closingAt(body: Uint8Array, code: readonly Instruction[], i: number, frame: Frame): readonly Edit[] {
  const [get, size, change] = matched(code, i, CLOSING) ?? [];
  if (get === undefined || size === undefined || change === undefined) return [];
  const sign = change.opcode === OPCODE.add ? 1 : -1;
  const isOwn = index(body, get) === frame.local && sign * constant(body, size) === frame.size;
  return isOwn ? [{ ...size, value: sign * (frame.size + FRAME_BYTES_MORE) }] : [];
}

/** The instructions from here on, if they are these; a gap stands for an addition or a subtraction. */
function matched(
  code: readonly Instruction[],
  from: number,
  opcodes: readonly (number | undefined)[],
): readonly Instruction[] | undefined {
  const isSame = opcodes.every((opcode, i) => {
    const found = code[from + i]?.opcode;
    return opcode === undefined ? found === OPCODE.add || found === OPCODE.sub : found === opcode;
  });
  return isSame ? code.slice(from, from + opcodes.length) : undefined;
}

function instructionsOf(body: Uint8Array): readonly Instruction[] {
  const reader: Reader = { wasm: body, at: 0 };
  skipLocals(reader);
  const code: Instruction[] = [];
  while (reader.at < body.length) {
    const { at } = reader;
    const opcode = skipInstruction(reader);
    code.push({ opcode, at, to: reader.at });
  }
  return code;
}

function index(wasm: Uint8Array, { at }: Instruction): number {
  return number({ wasm, at: at + 1 });
}

function constant(wasm: Uint8Array, { at }: Instruction): number {
  return signedNumber({ wasm, at: at + 1 });
}
