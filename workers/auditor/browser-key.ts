import type { DBSchema } from 'idb';
import { openDatabase } from '../store/idb/open.ts';
import { makeKeyPair, type Signer, signerOf } from './checkpoint.ts';
import { makeSealedSeed, type SealedSeed, seedSigner } from './key-seed.ts';

type StoredKey = CryptoKeyPair | SealedSeed;

interface KeySchema extends DBSchema {
  keys: { key: string; value: StoredKey };
}

/**
 * This origin's key for checkpoints. The browser keeps it: it signs and cannot be read. Without Ed25519 in the platform
 * a library signs, with a seed that only a browser key opens. Where no key can be stored, checkpoints are unsigned.
 */
export async function browserSigner(name: string): Promise<Signer | undefined> {
  return find(name).catch(() => undefined);
}

async function find(name: string): Promise<Signer> {
  const db = await openDatabase<KeySchema>('sallyport-key', 1, {
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
