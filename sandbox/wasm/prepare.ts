import {
  appended,
  binaryOf,
  byte,
  countOf,
  join,
  leb,
  number,
  type Reader,
  sectionsOf,
  skipLocals,
  skipNumber,
  type WasmSection,
} from './binary.ts';
import { widened } from './frames.ts';
import { OPCODE, skipInstruction } from './instructions.ts';

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
  return join([bytes.subarray(0, from), Uint8Array.from(by), bytes.subarray(to)]);
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
  return join(parts);
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
  return copied === 0 ? body : join([...parts, body.subarray(copied)]);
}
