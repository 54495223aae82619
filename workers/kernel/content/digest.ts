import { sha256Hex } from '../../../core/hash.ts';

/** From this size on the platform's hash is faster than ours, its wait included. */
const LARGE = 4096;

/** SHA-256 in hex. Without a secure context the platform has no hash, and ours serves. */
export async function digest(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= LARGE || globalThis.crypto?.subtle === undefined) return sha256Hex(bytes);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
