import { sha256Hex } from '../../../../core/hash.ts';
import { decodeUtf8 } from '../../../../core/json/utf8.ts';
import { ModelError } from '../../../../core/model-error.ts';
import { isNamed, type Named } from './named.ts';

/** Sizes of the network. */
interface NetworkShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly hidden: number;
  readonly back: number;
}

/** A trained model: its vocabulary, the tools it knows, and its numbers by name. */
export interface SmallWeights {
  readonly shape: NetworkShape;
  /** The tools it was trained on, in the order in which a prompt lists them. */
  readonly tools: readonly string[];
  /** Text of each token; the first `control` tokens have no text of a proposal. */
  readonly tokens: readonly string[];
  readonly control: number;
  /** Pieces that stand only for a whole string. */
  readonly words: ReadonlySet<string>;
  /** Words that a proposal may hold without being told them, and numbers that it may hold after an error. */
  readonly free: readonly string[];
  /** Numbers that are told by a number of this name in a result, and larger by this much. */
  readonly steps: { readonly [name: string]: number };
  /** Members of arguments whose text stands in the task as it is. */
  readonly copied: readonly string[];
  /** Closed choices, with the names under which a task mentions each value. */
  readonly named: Named;
  readonly parts: ReadonlyMap<string, Float64Array>;
}

interface Head extends Omit<SmallWeights, 'words' | 'parts'> {
  readonly words: readonly string[];
  readonly parts: readonly (readonly [name: string, kind: 'int8' | 'float32', shape: readonly number[]])[];
  readonly sha256: string;
}

const MAGIC = 'SPSM';
const VERSION = 1;
const HEAD_AT = 12;
/** The largest file that is read: the shipped one has less than a megabyte. */
const BYTES_MAX: number = 2 ** 23;

/**
 * Reads a file of weights, as `workers/bridges/models/small/trainer/weights.py` writes it. Throws a `ModelError` whose `details.fault`
 * is `not_small_model`, `version_unknown`, `cut` or `damaged`.
 */
export function readWeights(bytes: Uint8Array): SmallWeights {
  if (bytes.length > BYTES_MAX || decodeUtf8(bytes.subarray(0, 4)) !== MAGIC) throw failure('not_small_model');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD_AT) throw failure('cut');
  if (view.getUint32(4, true) !== VERSION) throw failure('version_unknown');
  const bodyAt = HEAD_AT + view.getUint32(8, true);
  if (bytes.length < bodyAt) throw failure('cut');
  const head = headOf(bytes.subarray(HEAD_AT, bodyAt));
  const body = bytes.subarray(bodyAt);
  const needed = head.parts.reduce((sum, [, kind, shape]) => sum + bytesOf(kind, shape), 0);
  if (body.length < needed) throw failure('cut');
  if (body.length !== needed || sha256Hex(body) !== head.sha256) throw failure('damaged');
  const { words, parts, ...rest } = head;
  return { ...rest, words: new Set(words), parts: partsOf(body, parts) };
}

function headOf(bytes: Uint8Array): Head {
  try {
    const head = JSON.parse(decodeUtf8(bytes) ?? '') as Head;
    if (isHead(head)) return head;
  } catch {
    // no JSON: the same as another head
  }
  throw failure('damaged');
}

/** True for a head whose parts are those of its shape, with at most BYTES_MAX numbers. */
function isHead({ shape, parts, tokens, control, tools, words, free, copied, steps, named, sha256 }: Head): boolean {
  const sizes = Object.values(shape);
  return (
    sizes.every((size) => Number.isSafeInteger(size) && size > 0 && size <= 4096) &&
    shape.width % (2 * shape.heads) === 0 &&
    tokens.length === shape.vocabulary &&
    control < tokens.length &&
    [tools, words, free, copied, tokens].every((list) => list.every((text) => typeof text === 'string')) &&
    typeof sha256 === 'string' &&
    isNamed(named) &&
    Object.values(steps).every((step) => Number.isSafeInteger(step)) &&
    JSON.stringify(parts.map(([name, kind, size]) => [name, kind, size])) === JSON.stringify(partsFor(shape))
  );
}

/** Name, kind and shape of each part, in the order of the file. */
function partsFor({ vocabulary, width, layers, heads, hidden, back }: NetworkShape): Head['parts'] {
  const blocks = Array.from({ length: layers }, (_, layer): Head['parts'] => [
    [`blocks.${layer}.qkv`, 'int8', [3 * width, width]],
    [`blocks.${layer}.out`, 'int8', [width, width]],
    [`blocks.${layer}.gate_up`, 'int8', [2 * hidden, width]],
    [`blocks.${layer}.down`, 'int8', [width, hidden]],
    [`blocks.${layer}.norm_attention`, 'float32', [width]],
    [`blocks.${layer}.norm_hidden`, 'float32', [width]],
    [`blocks.${layer}.convolution`, 'float32', [back, width]],
    [`blocks.${layer}.scale`, 'float32', [heads]],
  ]);
  return [['embedding', 'int8', [vocabulary, width]], ['norm_last', 'float32', [width]], ...blocks.flat()];
}

function bytesOf(kind: 'int8' | 'float32', shape: readonly number[]): number {
  const numbers = shape.reduce((product, size) => product * size, 1);
  const bytes = kind === 'float32' ? 4 * numbers : 4 * (shape[0] ?? 0) + numbers;
  return bytes + (-bytes & 3);
}

function partsOf(body: Uint8Array, parts: Head['parts']): ReadonlyMap<string, Float64Array> {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let at = 0;
  return new Map(
    parts.map(([name, kind, shape]) => {
      const values = kind === 'float32' ? floats(view, at, shape) : rows(view, at, shape);
      at += bytesOf(kind, shape);
      return [name, values];
    }),
  );
}

function floats(view: DataView, at: number, shape: readonly number[]): Float64Array {
  const count = shape.reduce((product, size) => product * size, 1);
  return Float64Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
}

/** A matrix: a scale for each row, then the rows in whole numbers. */
function rows(view: DataView, at: number, [count = 0, columns = 0]: readonly number[]): Float64Array {
  const values = new Float64Array(count * columns);
  for (let row = 0, from = at + 4 * count; row < count; row++, from += columns) {
    const scale = view.getFloat32(at + 4 * row, true);
    for (let column = 0; column < columns; column++)
      values[row * columns + column] = scale * view.getInt8(from + column);
  }
  return values;
}

const MESSAGES = {
  not_small_model: 'The file holds no small model.',
  version_unknown: 'The file of the small model has a version that is unknown here.',
  cut: 'The file of the small model is cut.',
  damaged: 'The file of the small model is damaged.',
} as const;

function failure(fault: keyof typeof MESSAGES): ModelError {
  return new ModelError(MESSAGES[fault], { retryable: false }, { fault });
}
