import { sha256Hex } from '../core/index.ts';

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
