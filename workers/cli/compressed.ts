import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';

/** Encodings of an answer, the one with the fewest bytes first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const COMPRESS: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  // Quality 5 takes a tenth of a second for the engine, where 11 takes seconds.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Compressed files that are kept, in bytes: the playground takes less than 2 MB. */
const KEPT_BYTES_MAX = 64 << 20;

/** Compresses the bytes with this hash, or returns the result of an earlier time. */
export type Compress = (bytes: Buffer, hash: string, encoding: Encoding) => Promise<Buffer>;

/** Compresses each content once for each encoding, also where several requests wait for it. */
export function makeCompress(): Compress {
  const kept = new Map<string, Promise<Buffer>>();
  let keptBytes = 0;
  return (bytes, hash, encoding) => {
    const key = `${encoding} ${hash}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const making = COMPRESS[encoding](bytes);
    // The compressed bytes are at most a little more than the plain ones.
    if (keptBytes + bytes.length > KEPT_BYTES_MAX) {
      kept.clear();
      keptBytes = 0;
    }
    keptBytes += bytes.length;
    kept.set(key, making);
    making.catch(() => kept.delete(key));
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
