import { encodeText } from '../../../core/index.ts';
import { parts } from '../../texts/en/parts.ts';

/** Texts that a fragment of a link carries: `1.`, and base64url of the deflated text. */
const FORMAT = 1;

/** Bytes that the stream gets at once: what a kilobyte unfolds to is counted before the next is read. */
const PIECE = 1024;

/** Bounds of a packed text: its characters, and the bytes that it may unfold to. */
export interface PackedBounds {
  readonly charactersMax: number;
  readonly bytesMax: number;
}

type UnpackedBytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: string };

/** Packs a text for the fragment of a link. */
export async function packText(text: string): Promise<string> {
  const packed = await collect(new Blob([encodeText(text)]).stream(), new CompressionStream('deflate-raw'), Infinity);
  return `${FORMAT}.${toBase64Url(packed ?? new Uint8Array())}`;
}

/** Unpacks the bytes of a stranger's text under bounds, and stops at the bound. A fault is a part of a sentence for a person. */
export async function unpackBytes(packed: string, { charactersMax, bytesMax }: PackedBounds): Promise<UnpackedBytes> {
  if (packed.length > charactersMax) return no(parts().packed.tooLong(packed.length, charactersMax));
  const pieces = /^(\d{1,4})\.([A-Za-z0-9_-]+)$/.exec(packed);
  if (pieces === null) return no(parts().packed.damaged);
  if (Number(pieces[1]) !== FORMAT) return no(parts().packed.otherFormat(pieces[1] ?? '', FORMAT));
  const bytes = await inflate(pieces[2] ?? '', bytesMax);
  return typeof bytes === 'string' ? no(bytes) : { ok: true, bytes };
}

function no(reason: string): UnpackedBytes {
  return { ok: false, reason };
}

async function inflate(text: string, bytesMax: number): Promise<Uint8Array | string> {
  const packed = fromBase64Url(text);
  if (packed === undefined) return parts().packed.damaged;
  try {
    const bytes = await collect(piecesOf(packed), new DecompressionStream('deflate-raw'), bytesMax);
    return bytes ?? parts().packed.unfoldsTooFar(bytesMax);
  } catch {
    return parts().packed.damaged;
  }
}

/** Runs bytes through a stream, and gives up (undefined) as soon as there are too many. */
async function collect(
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

/** The bytes, a piece each time that the reader wants one. */
function piecesOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.subarray(at, at + PIECE));
    at += PIECE;
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/u, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
