import { join, number, type Reader, signedLeb, signedNumber, skipLocals } from './binary.ts';
import { OPCODE, skipInstruction } from './instructions.ts';

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
export function widened(body: Uint8Array): Uint8Array {
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
  return join([...parts, body.subarray(copied)]);
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
