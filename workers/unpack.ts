/** Bytes that the export in a saved page may unfold to, in the command and in the page itself. */
export const EXPORT_BYTES_MAX: number = 256 << 20;

/** Why packed bytes did not unfold: they are damaged, or would unfold to more than the bound. */
type NotUnpacked = 'damaged' | 'tooLarge';

/**
 * Unfolds bytes that a stranger packed. Stops at the bound: a few kilobytes can unfold to gigabytes.
 *
 * @param bytesMax most bytes that they may unfold to
 */
export async function unpack(
  packed: Uint8Array,
  format: CompressionFormat,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | NotUnpacked> {
  // deflate shrinks bytes to a thousandth at most, so a piece unfolds to about half of the bound
  const pieces = piecesOf(packed, Math.ceil(bytesMax / 2048));
  const reader = pieces.pipeThrough(new DecompressionStream(format)).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > bytesMax) {
        void reader.cancel().catch(() => undefined);
        return 'tooLarge';
      }
      chunks.push(part.value);
    }
    return format === 'gzip' && lengthIn(packed) !== size
      ? 'damaged'
      : new Uint8Array(await new Blob(chunks).arrayBuffer());
  } catch {
    return 'damaged';
  }
}

/**
 * The length that gzip bytes end with (RFC 1952 2.3.1). Some versions of Node also unfold what stands behind their end,
 * which browsers refuse.
 */
function lengthIn(packed: Uint8Array): number {
  return new DataView(packed.buffer, packed.byteOffset, packed.byteLength).getUint32(packed.byteLength - 4, true);
}

/** The bytes, a piece each time that the reader wants one: what it unfolds to is counted before the next is read. */
function piecesOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.slice(at, at + size));
    at += size;
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}
