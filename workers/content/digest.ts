import { sha256Hex } from '../../core/hash.ts';

/** From here on the platform's hash is faster than ours, the waiting included. */
const LARGE = 4096;

/** SHA-256 in hex. Where a page is not a secure context the platform has none, and ours serves. */
export async function digest(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= LARGE || globalThis.crypto?.subtle === undefined) return sha256Hex(bytes);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
