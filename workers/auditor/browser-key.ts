import { getPublicKeyAsync, signAsync } from '@noble/ed25519';
import type { DBSchema } from 'idb';
import { openDatabase } from '../store/page/open-database.ts';
import { makeKeyPair, type Signer, signerOf } from './checkpoint.ts';

type StoredKey = CryptoKeyPair | SealedSeed;

interface KeySchema extends DBSchema {
  keys: { key: string; value: StoredKey };
}

/**
 * This origin's key for checkpoints. The browser keeps it: it signs and cannot be read. Without Ed25519 in the platform
 * a library signs, with a seed that only a browser key opens. Where no key can be stored, checkpoints are unsigned.
 */
export async function browserSigner(name: string, database = 'sallyport-key'): Promise<Signer | undefined> {
  return find(name, database).catch(() => undefined);
}

async function find(name: string, database: string): Promise<Signer> {
  const db = await openDatabase<KeySchema>(database, 1, {
    upgrade: (made) => void made.createObjectStore('keys'),
  });
  try {
    const found = await db.get('keys', name);
    if (found !== undefined) return await signerBy(name, found);
    const made = await makeKeyPair().catch(makeSealedSeed);
    // another tab may have stored its key first: then that key counts
    await db.add('keys', made, name).catch(() => undefined);
    return await signerBy(name, (await db.get('keys', name)) ?? made);
  } finally {
    db.close();
  }
}

/** Signer for the stored key: a browser that learns Ed25519 continues with the key that other parties know. */
function signerBy(name: string, kept: StoredKey): Signer | Promise<Signer> {
  return 'sealed' in kept ? seedSigner(name, kept) : signerOf(name, kept);
}

/** An Ed25519 seed, encrypted with a browser key that cannot be exported. */
interface SealedSeed {
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
