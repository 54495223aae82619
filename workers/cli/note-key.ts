import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { decodeUtf8 } from '../../core/json/utf8.ts';
import { decodeBase64, encodeBase64 } from '../../core/ledger/base64.ts';
import { formatKey, type NoteKey } from '../../core/ledger/checkpoint.ts';
import { type Terminal, UsageError } from './command.ts';

/** A key that signs checkpoints, from a file. */
export interface FileSigner extends NoteKey {
  sign(bytes: Uint8Array): Uint8Array;
}

/** What a DER file of PKCS #8 has before the seed of an Ed25519 key (RFC 8410 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519 = 1;

/**
 * Reads a private key, as Go's package `note` writes it: `PRIVATE+KEY+NAME+ID+KEY`. Where there is no file, a key is
 * made, and the file can be read by its owner alone.
 */
export async function openSigner(path: string, origin: string | undefined, terminal: Terminal): Promise<FileSigner> {
  if (!existsSync(path)) return makeSignerFile(path, origin);
  const text = decodeUtf8(await terminal.read(path)) ?? '';
  const signer = signerIn(text.trim());
  if (signer === undefined) throw new UsageError(`${path} holds no private key of a checkpoint`);
  if (origin !== undefined && origin !== signer.name)
    throw new UsageError(`${path} is the key of ${signer.name}, and --origin is ${origin}`);
  return signer;
}

function makeSignerFile(path: string, origin: string | undefined): FileSigner {
  if (origin === undefined)
    throw new UsageError('There is no key yet: name the log, as --origin example.com/notes, and a key is made');
  if (!/^[^\p{C}\s+]{1,255}$/u.test(origin))
    throw new UsageError('--origin takes a name without blanks and plus signs, as example.com/notes');
  const seed = randomBytes(32);
  const signer = signerOf(origin, seed);
  writeFileSync(path, `${privateText(signer, seed)}\n`, { mode: 0o600, flag: 'wx' });
  return signer;
}

function privateText(key: NoteKey, seed: Uint8Array): string {
  const [, id = ''] = formatKey(key).split('+');
  return `PRIVATE+KEY+${key.name}+${id}+${encodeBase64(Uint8Array.of(ED25519, ...seed))}`;
}

function signerIn(text: string): FileSigner | undefined {
  const [, name = '', base64 = ''] = /^PRIVATE\+KEY\+([^+\s]+)\+[0-9a-f]{8}\+(\S+)$/.exec(text) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes?.length !== 33 || bytes[0] !== ED25519) return undefined;
  const signer = signerOf(name, bytes.subarray(1));
  return privateText(signer, bytes.subarray(1)) === text ? signer : undefined;
}

function signerOf(name: string, seed: Uint8Array): FileSigner {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { name, publicKey: new Uint8Array(Buffer.from(x, 'base64url')), sign: (bytes) => sign(null, bytes, key) };
}
