import { sha256Hex, sha256Text } from '../core/hash.ts';
import { FRAME_BYTES_MORE } from './wasm/prepare.ts';

const NUMBER_BYTES = 4;

/** SHA-256 over (page number u32 LE, page), in the order given. */
export function pageDigest(pages: readonly (readonly [number, Uint8Array])[], pageBytes: number): string {
  const all = new Uint8Array(pages.length * (NUMBER_BYTES + pageBytes));
  const view = new DataView(all.buffer);
  pages.forEach(([page, bytes], i) => {
    const at = i * (NUMBER_BYTES + pageBytes);
    view.setUint32(at, page, true);
    all.set(bytes, at + NUMBER_BYTES);
  });
  return sha256Hex(all);
}

/** Digest of the host's inputs to an image: the prelude, and the stack frames' extra size. */
export function preludeDigest(prelude: string): string {
  return sha256Text(`${FRAME_BYTES_MORE}\n${prelude}`);
}
