import { type DBSchema, openDB } from 'idb';
import { makeKeyPair, type Signer, signerOf } from '../checkpoint.ts';

interface KeySchema extends DBSchema {
  keys: { key: string; value: CryptoKeyPair };
}

/**
 * This origin's key for checkpoints. The browser keeps it and gives it to nobody: it signs, and cannot be read. Where
 * there is no Ed25519, or nothing can be kept, checkpoints go unsigned.
 */
export async function browserSigner(name: string): Promise<Signer | undefined> {
  return find(name).catch(() => undefined);
}

async function find(name: string): Promise<Signer> {
  const db = await openDB<KeySchema>('sallyport-key', 1, { upgrade: (made) => void made.createObjectStore('keys') });
  try {
    const found = await db.get('keys', name);
    if (found !== undefined) return await signerOf(name, found);
    const made = await makeKeyPair();
    // another tab may have been first: then its key is the key
    await db.add('keys', made, name).catch(() => undefined);
    return await signerOf(name, (await db.get('keys', name)) ?? made);
  } finally {
    db.close();
  }
}
