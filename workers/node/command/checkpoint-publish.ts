import type { Outcome } from '../../../core/outcome.ts';
import { type PublishedLog, publishTo } from '../../auditor/publish-log.ts';
import { type Terminal, UsageError } from './command.ts';
import { lookAt } from './look-at.ts';
import { openSigner } from './note-key.ts';
import { isAddress, logReader, writeLogFile } from './published-log.ts';

/** Publishes the log of a ledger, in a directory or a file of SQLite, in a folder. `sign` is the file of the key. */
export async function publishInFolder(
  ledger: string,
  folder: string,
  { sign, origin }: { readonly sign: string; readonly origin: string | undefined },
  terminal: Terminal,
): Promise<Outcome<PublishedLog>> {
  if (isAddress(folder)) throw new UsageError('publish writes into a folder, and not to an address');
  const store = lookAt(ledger);
  if (!store.ok) return store;
  try {
    const signer = await openSigner(sign, origin, terminal);
    const place = { read: logReader(folder), write: writeLogFile.bind(undefined, folder) };
    return await publishTo(place, store.value, signer);
  } finally {
    await store.value.close();
  }
}
