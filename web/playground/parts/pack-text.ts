import { encodeText } from '../../../core/index.ts';

/** Texts that a fragment of a link carries: `1.`, and base64url of the deflated text. */
export const PACKED_FORMAT = 1;

/** Packs a text for the fragment of a link. */
export async function packText(text: string): Promise<string> {
  const stream = new Blob([encodeText(text)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return `${PACKED_FORMAT}.${toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer()))}`;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/u, '');
}
