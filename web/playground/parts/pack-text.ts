import { encodeText } from '../../../core/index.ts';

/** Texts that a fragment of a link carries: `1.`, and base64url of the deflated text. */
export const PACKED_FORMAT = 1;

/** Packs a text for the fragment of a link. */
export async function packText(text: string): Promise<string> {
  const packed = await collect(new Blob([encodeText(text)]).stream(), new CompressionStream('deflate-raw'), Infinity);
  return `${PACKED_FORMAT}.${toBase64Url(packed ?? new Uint8Array())}`;
}

/** Runs bytes through a stream, and gives up (undefined) as soon as there are too many. */
export async function collect(
  from: ReadableStream<Uint8Array<ArrayBuffer>>,
  through: GenericTransformStream,
  max: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stream = from.pipeThrough<Uint8Array<ArrayBuffer>>(through);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > max) return void reader.cancel().catch(() => undefined);
    chunks.push(value);
  }
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/u, '');
}
