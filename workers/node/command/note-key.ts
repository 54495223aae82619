import { existsSync, writeFileSync } from 'node:fs';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import type { Signer } from '../../auditor/checkpoint.ts';
import { isOrigin, makeLogKey, signerIn } from '../log-key.ts';
import { type Terminal, UsageError } from './command.ts';

/** Reads a private key. Where there is no file, a key is made, and the file can be read by its owner alone. */
export async function openSigner(path: string, origin: string | undefined, terminal: Terminal): Promise<Signer> {
  if (!existsSync(path)) makeKeyFile(path, origin);
  const text = decodeUtf8(await terminal.read(path)) ?? '';
  const signer = signerIn(text.trim());
  if (signer === undefined) throw new UsageError(`${path} holds no private key of a checkpoint`);
  if (origin !== undefined && origin !== signer.name)
    throw new UsageError(`${path} is the key of ${signer.name}, and --origin is ${origin}`);
  return signer;
}

function makeKeyFile(path: string, origin: string | undefined): void {
  if (origin === undefined)
    throw new UsageError('There is no key yet: name the log, as --origin example.com/notes, and a key is made');
  if (!isOrigin(origin))
    throw new UsageError('--origin takes a name without blanks and plus signs, as example.com/notes');
  writeFileSync(path, `${makeLogKey(origin)}\n`, { mode: 0o600, flag: 'wx' });
}
