import { verifyAsync } from '@noble/ed25519';
import { hashText } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { Anchor } from '../../core/ledger/anchor.ts';
import {
  type Checkpoint,
  formatCheckpoint,
  formatKey,
  type NoteKey,
  parseCheckpoint,
  parseKey,
  signatureBy,
  signedNote,
} from '../../core/ledger/checkpoint.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { TakenCheckpoint } from '../api.ts';
import type { LedgerStore } from '../store/store.ts';

/** A key that signs and cannot be read. */
export interface Signer extends NoteKey {
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Default name of a log. It is local to this device. */
const ORIGIN = 'sallyport.local/ledger';

/** Name of this device's key in a signature. */
export const SIGNER = 'sallyport.local';

/** Takes a checkpoint: the head of the log and the heads of its runs. */
export async function takeCheckpoint(
  store: LedgerStore,
  signer: Signer | undefined,
  origin: string = ORIGIN,
): Promise<Outcome<TakenCheckpoint>> {
  const snapshot = await store.snapshot();
  if (!snapshot.ok) return snapshot;
  const { size, root, runs } = snapshot.value;
  const lines = runs.map(({ run_id, records, head, foreign }) => ({
    run_id,
    count: records,
    head,
    ...(foreign && { foreign }),
  }));
  const sorted = lines.toSorted((one, other) => (one.run_id < other.run_id ? -1 : 1));
  return pass(await signed({ origin, size, root: hashText(root), runs: sorted }, signer));
}

async function signed(checkpoint: Checkpoint, signer: Signer | undefined): Promise<TakenCheckpoint> {
  const text = formatCheckpoint(checkpoint);
  if (signer === undefined) return { ...checkpoint, text };
  const note = signedNote(text, signer, await signer.sign(encodeText(text)));
  return { ...checkpoint, text: note, key: formatKey(signer) };
}

/** Makes a key for the lifetime of this process. Undefined where Web Cryptography has no Ed25519. */
export async function makeSigner(name: string): Promise<Signer | undefined> {
  const pair = await makeKeyPair().catch(() => undefined);
  return pair === undefined ? undefined : signerOf(name, pair);
}

/** Makes a key pair whose private key cannot be read. */
export async function makeKeyPair(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
}

export async function signerOf(name: string, { publicKey, privateKey }: CryptoKeyPair): Promise<Signer> {
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
  const sign = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, new Uint8Array(bytes)));
  return { name, publicKey: raw, sign };
}

/** Reason why a checkpoint is not signed by this key; undefined where it is. */
export async function signatureFault(anchor: Anchor | undefined, key: string): Promise<string | undefined> {
  const text = typeof anchor === 'object' && 'text' in anchor ? anchor.text : anchor;
  const note = typeof text === 'string' ? parseCheckpoint(text) : undefined;
  if (note?.ok !== true) return 'only a checkpoint is signed';
  const known = parseKey(key);
  if (known === undefined) return 'the key cannot be read';
  const signature = signatureBy(note.value, known);
  if (signature === undefined) return 'it is not signed with this key';
  const right = await isSignedBy(known.publicKey, signature, encodeText(note.value.text));
  return right ? undefined : 'its signature is not right';
}

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
