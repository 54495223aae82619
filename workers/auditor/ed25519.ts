import { verifyAsync } from '@noble/ed25519';

/**
 * True if the holder of this key signed these bytes. Never rejects. Without Ed25519 in Web Cryptography a library
 * checks.
 */
export async function isSignedBy(publicKey: Uint8Array, signature: Uint8Array, bytes: Uint8Array): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(bytes));
  } catch {
    // by the rules of RFC 8032, not by the more lenient ZIP 215
    return verifyAsync(signature, bytes, publicKey, { zip215: false }).catch(() => false);
  }
}
