import { afterEach, expect, test, vi } from 'vitest';
import { formatKey } from '../../../core/ledger/checkpoint.ts';
import { browserSigner } from '../../../workers/auditor/browser-key.ts';
import { signatureFault, takeCheckpoint } from '../../../workers/auditor/checkpoint.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { valueOf } from '../store/store-suite.ts';

afterEach(() => vi.restoreAllMocks());

/** A browser without Ed25519: `generateKey` refuses that algorithm and makes every other key. */
function withoutEd25519(): void {
  const { subtle } = crypto;
  const generate = subtle.generateKey.bind(subtle) as (...asked: unknown[]) => Promise<CryptoKey>;
  vi.spyOn(subtle, 'generateKey').mockImplementation((async (algorithm: unknown, ...rest: unknown[]) => {
    if (algorithm === 'Ed25519') throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    return generate(algorithm, ...rest);
  }) as typeof subtle.generateKey);
}

test.each([
  ['of the browser', () => undefined],
  ['of a library, where the browser has no Ed25519', withoutEd25519],
])(
  'a key %s signs checkpoints, stays the same when it is asked for again, and cannot be exported',
  async (_, change) => {
    change();
    const name = `test.example/${crypto.randomUUID()}`;
    const first = await browserSigner(name);
    const { text, key = '' } = valueOf(await takeCheckpoint(openMemoryStore(), first));
    vi.restoreAllMocks();
    const again = await browserSigner(name);
    expect(again && formatKey(again)).toBe(key);
    expect(await signatureFault(text, key)).toBe(undefined);
    expect(valueOf(await takeCheckpoint(openMemoryStore(), again)).text).toBe(text);
    const kept = await keptUnder(name);
    const secret = 'sealed' in kept ? kept.lock : kept.privateKey;
    await expect(crypto.subtle.exportKey(secret.type === 'secret' ? 'raw' : 'pkcs8', secret)).rejects.toThrow();
  },
);

function keptUnder(name: string): Promise<CryptoKeyPair | { sealed: ArrayBuffer; lock: CryptoKey }> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('sallyport-key');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const db = opening.result;
      const asked = db.transaction('keys').objectStore('keys').get(name);
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
      db.close();
    };
  });
}
