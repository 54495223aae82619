import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';

/** Encodings of an answer, the one with the fewest bytes first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const COMPRESS: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  // Quality 5 takes a tenth of a second for the engine, where 11 takes seconds.
  br: (bytes) => brotli(bytes, 5),
  gzip: (bytes) => promisify(gzip)(bytes),
};

function brotli(bytes: Buffer, quality: number): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: quality } });
}

/** Compressed files that are kept, in bytes: the playground takes less than 2 MB. */
const KEPT_BYTES_MAX = 64 << 20;

/** Compresses the bytes with this hash, or returns the result of an earlier time. */
export type Compress = (bytes: Buffer, hash: string, encoding: Encoding) => Promise<Buffer>;

/** Ms without a request after which answers are compressed again. */
const QUIET_MS = 20_000;

/**
 * Compresses each content once for each encoding, also where several requests wait for it. While no request comes for
 * `quietMs`, the answers in Brotli are made again in their smallest form, one at a time: a tenth smaller.
 */
export function makeCompress(quietMs: number = QUIET_MS): Compress {
  const kept = new Map<string, Promise<Buffer>>();
  let keptBytes = 0;
  /** Contents whose answer in Brotli is not in its smallest form, by the key of the answer. */
  const large = new Map<string, Buffer>();
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let isShrinking = false;
  const shrink = async (): Promise<void> => {
    const [next] = large;
    if (next === undefined || isShrinking) return;
    const [key, bytes] = next;
    isShrinking = true;
    large.delete(key);
    const small = await brotli(bytes, 11).catch(() => undefined);
    if (small !== undefined && kept.has(key)) kept.set(key, Promise.resolve(small));
    isShrinking = false;
    later(0);
  };
  const later = (ms: number): void => {
    clearTimeout(quiet);
    quiet = setTimeout(() => void shrink(), ms).unref();
  };
  return (bytes, hash, encoding) => {
    if (large.size > 0) later(quietMs);
    const key = `${encoding} ${hash}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const making = COMPRESS[encoding](bytes);
    // The compressed bytes are at most a little more than the plain ones.
    if (keptBytes + bytes.length > KEPT_BYTES_MAX) {
      kept.clear();
      large.clear();
      keptBytes = 0;
    }
    keptBytes += bytes.length;
    kept.set(key, making);
    making.catch(() => kept.delete(key));
    if (encoding === 'br') {
      large.set(key, bytes);
      later(quietMs);
    }
    return making;
  };
}

/** The encoding with the fewest bytes that the client accepts; `q=0` means that it does not. */
export function encodingFor(accepted: string): Encoding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().split(/\s*;\s*/))
    .filter(([, weight = 'q=1']) => !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return ENCODINGS.find((encoding) => taken.includes(encoding));
}
