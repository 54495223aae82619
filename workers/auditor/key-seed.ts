import { getPublicKeyAsync, signAsync } from '@noble/ed25519';
import type { Signer } from './checkpoint.ts';

/** An Ed25519 seed, encrypted with a browser key that cannot be exported. */
export interface SealedSeed {
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly lock: CryptoKey;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

/**
 * Makes a seed for a platform without Ed25519. The stored bytes are worthless without this browser's key. But any code
 * in this origin can have the seed decrypted, while a key of the platform could only be used for signing.
 */
export async function makeSealedSeed(): Promise<SealedSeed> {
  const lock = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const publicKey = new Uint8Array(await getPublicKeyAsync(seed));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, lock, seed);
  seed.fill(0);
  return { publicKey, lock, iv, sealed };
}

/** Signs with the seed, which is in the clear for a single signature at a time. */
export function seedSigner(name: string, { publicKey, lock, iv, sealed }: SealedSeed): Signer {
  const sign = async (bytes: Uint8Array) => {
    const seed = new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, lock, sealed));
    return signAsync(bytes, seed).finally(() => seed.fill(0));
  };
  return { name, publicKey, sign };
}
