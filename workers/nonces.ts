import { hashText } from '../core/hash.ts';

/** Bytes of a nonce, and nonces of one draw: a draw is a call of the system. */
const [BYTES, COUNT] = [16, 256];

/** A function that returns nonces of 16 random bytes as hex digits. `fill` fills bytes with random values. */
export function makeNonces(fill: (bytes: Uint8Array<ArrayBuffer>) => unknown): () => string {
  const bytes = new Uint8Array(BYTES * COUNT);
  let at = bytes.length;
  return () => {
    if (at === bytes.length) {
      fill(bytes);
      at = 0;
    }
    const nonce = hashText(bytes.subarray(at, at + BYTES));
    // no byte is drawn twice, and none stays in memory
    bytes.fill(0, at, at + BYTES);
    at += BYTES;
    return nonce;
  };
}
