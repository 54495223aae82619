import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { decodeBase64, encodeBase64 } from '../../core/ledger/base64.ts';
import { formatKey, type NoteKey } from '../../core/ledger/checkpoint.ts';
import { CALLBACK, demand, type OptionType, type OptionTypes, optionsOf } from '../../core/option.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Signer } from '../auditor/checkpoint.ts';
import { type LogPlace, type PublishedLog, publishTo } from '../auditor/publish-log.ts';
import { isLedgerStore, type RuntimeStore } from '../store/runtime-store.ts';
import type { LedgerStore } from '../store/store.ts';

export interface PublishOptions extends LogPlace {
  /** The private key of the log, made by `makeLogKey`. */
  readonly key: string;
}

/**
 * Publishes the log of an open store as a signed checkpoint and static tiles (C2SP), in a folder or a bucket: `write`
 * gets the new files, the checkpoint last, and `read` reads what is there. Refuses, and writes no file, where the log
 * has not grown out of the published log: `log_rolled_back`, `log_forked`, `checkpoint_unsigned`. Throws
 * `option_invalid`.
 */
export async function publishLog(store: RuntimeStore, options: PublishOptions): Promise<Outcome<PublishedLog>> {
  demand('store', store, STORE);
  const { key, read, write } = optionsOf(options, OPTIONS, Object.keys(OPTIONS));
  return publishTo({ read, write }, store as LedgerStore & RuntimeStore, signerIn(key) as Signer);
}

const STORE: OptionType = ['an open store', isLedgerStore];
const KEY: OptionType = [
  'a private key of makeLogKey',
  (value) => typeof value === 'string' && signerIn(value) !== undefined,
];
const OPTIONS: OptionTypes = { key: KEY, read: CALLBACK, write: CALLBACK };

/** What a DER file of PKCS #8 has before the seed of an Ed25519 key (RFC 8410 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519 = 1;

const ORIGIN: OptionType = [
  'a name of a log without blanks and plus signs, as example.com/notes',
  (value) => typeof value === 'string' && isOrigin(value),
];

/** True for a text that can name a log and its key. */
export function isOrigin(text: string): boolean {
  return /^[^\p{C}\s+]{1,255}$/u.test(text);
}

/**
 * Makes a private key that signs the checkpoints of a log, as Go's package `note` writes it:
 * `PRIVATE+KEY+NAME+ID+KEY`. Keep it secret. Throws `option_invalid`.
 */
export function makeLogKey(origin: string): string {
  demand('origin', origin, ORIGIN);
  const seed = randomBytes(32);
  return privateText(signerOf(origin, seed), seed);
}

function privateText(key: NoteKey, seed: Uint8Array): string {
  const [, id = ''] = formatKey(key).split('+');
  return `PRIVATE+KEY+${key.name}+${id}+${encodeBase64(Uint8Array.of(ED25519, ...seed))}`;
}

/** The signer of a private key; undefined for any other text. */
export function signerIn(text: string): Signer | undefined {
  const [, name = '', base64 = ''] = /^PRIVATE\+KEY\+([^+\s]+)\+[0-9a-f]{8}\+(\S+)$/.exec(text) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes?.length !== 33 || bytes[0] !== ED25519) return undefined;
  const signer = signerOf(name, bytes.subarray(1));
  return privateText(signer, bytes.subarray(1)) === text ? signer : undefined;
}

function signerOf(name: string, seed: Uint8Array): Signer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return {
    name,
    publicKey: new Uint8Array(Buffer.from(x, 'base64url')),
    sign: async (bytes) => sign(null, bytes, key),
  };
}
