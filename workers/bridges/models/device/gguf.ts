import { ModelError } from '../../../../core/model-error.ts';

/** Facts of a GGUF file, from its head. All of them are claims of the file's author. */
export interface GgufFacts {
  readonly name?: string;
  readonly architecture: string;
  /** Tokens of the context that the model was trained with. */
  readonly contextTokens?: number;
  /** Memory that the engine needs for this file with the context asked for. */
  readonly memoryBytes: number;
}

export interface GgufOptions {
  /** Tokens of the context with which the model will be loaded. */
  readonly contextTokens: number;
  /** Memory for the model, where the program knows that less than an engine's 4 GB are there. */
  readonly memoryBytes?: number;
}

/** Addresses of a WebAssembly engine end here: the memory of wllama's has 65,536 pages at most. */
const ENGINE_BYTES: number = 4 * 2 ** 30;
/** Room for the engine itself and its buffers of a computation. */
const BUFFERS_BYTES: number = 160 * 2 ** 20;

/**
 * Reads the head of a model's file before an engine loads it: an engine may crash over a file that is cut, or run on
 * without a model. Throws a `ModelError` whose `details.fault` is `not_gguf`, `cut` (with `details.used` and
 * `details.limit` in bytes: what is there, and what the head names) or `too_large` (the memory needed, and its limit).
 *
 * @experimental
 */
export async function checkGguf(
  file: Blob,
  { contextTokens, memoryBytes = ENGINE_BYTES }: GgufOptions,
): Promise<GgufFacts> {
  const head = await readHead(file);
  if (head.fileBytes > file.size) throw failure('cut', file.size, head.fileBytes);
  const needed = file.size + contextTokens * head.tokenBytes + BUFFERS_BYTES;
  const limit = Math.min(memoryBytes, ENGINE_BYTES);
  if (needed > limit) throw failure('too_large', needed, limit);
  const { name, architecture, trainedTokens } = head;
  return {
    ...(name !== undefined && { name }),
    architecture,
    ...(trainedTokens !== undefined && { contextTokens: trainedTokens }),
    memoryBytes: needed,
  };
}

const FIRST_BYTES: number = 2 ** 20;
/** Vocabularies of a quarter million entries have heads of some 10 MB. */
const HEAD_BYTES_MAX: number = 2 ** 27;

/** Reads more of the file until its head is whole. */
async function readHead(file: Blob): Promise<GgufHead> {
  for (let bytes = FIRST_BYTES; ; bytes *= 4) {
    const part = await file.slice(0, bytes).arrayBuffer();
    try {
      const head = parseGguf(part);
      if (head === undefined) throw failure('not_gguf');
      return head;
    } catch (error) {
      if (!(error instanceof ShortGguf)) throw error;
      if (bytes >= HEAD_BYTES_MAX) throw failure('not_gguf');
      if (bytes >= file.size) throw failure('cut', file.size);
    }
  }
}

const MESSAGES = {
  not_gguf: 'The file is no model in the GGUF format.',
  cut: 'The file of the model is cut: its head names more bytes than it has.',
  too_large: 'The model needs more memory than there is for it.',
} as const;

function failure(fault: keyof typeof MESSAGES, used?: number, limit?: number): ModelError {
  const numbers = { ...(used !== undefined && { used }), ...(limit !== undefined && { limit }) };
  return new ModelError(MESSAGES[fault], { retryable: false }, { fault, ...numbers });
}

/** The head of a GGUF file, as llama.cpp's `gguf.md` describes it. */
interface GgufHead {
  readonly name: string | undefined;
  readonly architecture: string;
  readonly trainedTokens: number | undefined;
  /** Bytes of the file to the end of its last tensor. */
  readonly fileBytes: number;
  /** Memory of a token of the context: its keys and values in every layer, two bytes each. */
  readonly tokenBytes: number;
}

/** Thrown where the bytes end before the head does. */
class ShortGguf extends Error {}

/** Undefined for bytes that are no head of GGUF 2 or 3. Throws `ShortGguf`. The bytes come from a stranger. */
function parseGguf(bytes: ArrayBuffer): GgufHead | undefined {
  const reader = new Reader(bytes);
  if (reader.u32() !== MAGIC || !VERSIONS.includes(reader.u32())) return undefined;
  const tensors = reader.u64();
  const entries = reader.u64();
  try {
    const metadata = readMetadata(reader, entries);
    return headOf(metadata, readTensorsEnd(reader, tensors, metadata));
  } catch (error) {
    if (error instanceof MalformedGguf) return undefined;
    throw error;
  }
}

class MalformedGguf extends Error {}

const MAGIC = 0x46_55_47_47;
const VERSIONS = [2, 3];

type Metadata = ReadonlyMap<string, string | number>;

function headOf(metadata: Metadata, fileBytes: number): GgufHead {
  const text = (key: string): string | undefined => {
    const value = metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  };
  const architecture = text('general.architecture');
  if (architecture === undefined) throw new MalformedGguf();
  const number = (key: string): number | undefined => {
    const value = metadata.get(`${architecture}.${key}`);
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  const heads = number('attention.head_count') ?? 1;
  const width = (number('embedding_length') ?? 0) / heads;
  const values = (number('attention.key_length') ?? width) + (number('attention.value_length') ?? width);
  const tokenBytes = 2 * (number('block_count') ?? 0) * (number('attention.head_count_kv') ?? heads) * values;
  return { name: text('general.name'), architecture, trainedTokens: number('context_length'), fileBytes, tokenBytes };
}

/** Texts and numbers of the metadata; lists are passed over. */
function readMetadata(reader: Reader, entries: number): Metadata {
  const found = new Map<string, string | number>();
  for (let i = 0; i < entries; i++) {
    const key = reader.text();
    const value = readValue(reader, reader.u32(), 0);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

const TEXT = 8;
const LIST = 9;
/** Bytes of a number or a truth value, by the number of its type. */
const WIDTHS: readonly (number | undefined)[] = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];
const FLOAT32 = 6;
const FLOAT64 = 12;
const DEPTH_MAX = 4;

function readValue(reader: Reader, type: number, depth: number): string | number | undefined {
  if (type === TEXT) return reader.text();
  if (type === LIST) return passList(reader, depth);
  const width = WIDTHS[type];
  if (width === undefined) throw new MalformedGguf();
  if (type !== FLOAT32 && type !== FLOAT64) return reader.unsigned(width);
  reader.pass(width);
  return undefined;
}

function passList(reader: Reader, depth: number): undefined {
  if (depth === DEPTH_MAX) throw new MalformedGguf();
  const type = reader.u32();
  const length = reader.u64();
  const width = WIDTHS[type];
  if (width !== undefined) return reader.pass(width * length);
  for (let i = 0; i < length; i++) readValue(reader, type, depth + 1);
  return undefined;
}

/** A tensor's offset counts from the end of the head, which is padded to the alignment. */
function readTensorsEnd(reader: Reader, tensors: number, metadata: Metadata): number {
  let last = 0;
  for (let i = 0; i < tensors; i++) {
    reader.text();
    const dimensions = reader.u32();
    if (dimensions > DEPTH_MAX) throw new MalformedGguf();
    let elements = 1;
    for (let d = 0; d < dimensions; d++) elements *= reader.u64();
    const bytes = elements * bytesOfElement(reader.u32());
    last = Math.max(last, reader.u64() + bytes);
  }
  const alignment = metadata.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || alignment === 0) throw new MalformedGguf();
  return Math.ceil(reader.at / alignment) * alignment + last;
}

/** Elements and bytes of a block, by the number of a tensor's type in ggml. */
const BLOCKS: { readonly [type: number]: readonly [elements: number, bytes: number] } = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 36],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
};

/** A type that is newer than the table counts no bytes: the tensor's offset alone then says how long the file is. */
function bytesOfElement(type: number): number {
  const [elements, bytes] = BLOCKS[type] ?? [1, 0];
  return bytes / elements;
}

/** Numbers and texts, least byte first. */
class Reader {
  at = 0;
  private readonly view: DataView;

  constructor(bytes: ArrayBuffer) {
    this.view = new DataView(bytes);
  }
  /** Moves past these bytes, and returns where they began. */
  private take(bytes: number): number {
    const from = this.at;
    if (!(from + bytes <= this.view.byteLength)) throw new ShortGguf();
    this.at = from + bytes;
    return from;
  }
  pass(bytes: number): undefined {
    this.take(bytes);
  }
  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  /** Numbers over 2^53 lose bits; no length or offset of a real file has so many. */
  u64(): number {
    return Number(this.view.getBigUint64(this.take(8), true));
  }
  unsigned(width: number): number {
    if (width === 8) return this.u64();
    if (width === 4) return this.u32();
    const from = this.take(width);
    return width === 2 ? this.view.getUint16(from, true) : this.view.getUint8(from);
  }
  text(): string {
    const bytes = this.u64();
    return new TextDecoder().decode(new Uint8Array(this.view.buffer, this.take(bytes), bytes));
  }
}
