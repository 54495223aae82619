/** The shipped build asks for 16 MiB of memory at once; every byte of it would have to be cleared before each call. */
const IMPORT_SECTION = 2;
const KIND = { function: 0, memory: 2 } as const;

/** A copy of a WASM binary whose imported memory starts at `pages`. Throws when there is no such import. */
export function withMinimumPages(wasm: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(wasm);
  const { at, width } = minimumOf(copy);
  for (let i = 0; i < width; i++) copy[at + i] = ((pages >>> (7 * i)) & 127) | (i < width - 1 ? 128 : 0);
  if (pages >>> (7 * width) !== 0) throw new RangeError(`${pages} pages do not fit the binary`);
  return copy;
}

function minimumOf(wasm: Uint8Array): { at: number; width: number } {
  const reader = { wasm, at: 8 };
  while (reader.at < wasm.length) {
    const section = byte(reader);
    const end = number(reader) + reader.at;
    if (section === IMPORT_SECTION) return memoryImport(reader);
    reader.at = end;
  }
  throw new RangeError('The binary imports no memory');
}

interface Reader {
  readonly wasm: Uint8Array;
  at: number;
}

function memoryImport(reader: Reader): { at: number; width: number } {
  for (let left = number(reader); left > 0; left--) {
    skipName(reader);
    skipName(reader);
    const kind = byte(reader);
    if (kind === KIND.memory) return limits(reader);
    if (kind !== KIND.function) throw new RangeError(`The binary imports something of kind ${kind}`);
    number(reader);
  }
  throw new RangeError('The binary imports no memory');
}

function limits(reader: Reader): { at: number; width: number } {
  byte(reader);
  const at = reader.at;
  number(reader);
  return { at, width: reader.at - at };
}

function byte(reader: Reader): number {
  return reader.wasm[reader.at++] ?? 0;
}

/** Unsigned LEB128. */
function number(reader: Reader): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const next = byte(reader);
    value |= (next & 127) << shift;
    if ((next & 128) === 0) return value >>> 0;
  }
}

function skipName(reader: Reader): void {
  const length = number(reader);
  reader.at += length;
}
