import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeUtf8, encodeText } from '../../core/json/utf8.ts';
import { type Checkpoint, formatCheckpoint, formatKey, signedNote } from '../../core/ledger/checkpoint.ts';
import { tileFiles } from '../../core/ledger/tiles.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { checkedCheckpoint, growthFault } from '../audit/compare-checkpoints.ts';
import { type LogHashes, logHashes } from '../audit/verify-log.ts';
import type { Terminal } from './command.ts';
import { lookAt } from './look-at.ts';
import { type FileSigner, openSigner } from './note-key.ts';
import { CHECKPOINT, writeLogFile } from './published-log.ts';

/** A log that was published. */
export interface PublishedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** The signed checkpoint. */
  readonly text: string;
  /** The public key of its signature. */
  readonly key: string;
  /** Number of files that were written. */
  readonly files: number;
}

/** Options of `publish`. */
export interface PublishOptions {
  /** File of the private key. */
  readonly sign: string;
  readonly origin: string | undefined;
}

/**
 * Writes the log of a ledger as static files: entries and tiles (C2SP tlog-tiles), and last its signed checkpoint. A log
 * that the checkpoint in the folder is no beginning of is not signed: `log_rolled_back`, `log_forked`,
 * `checkpoint_unsigned`. Also refuses as the store does.
 */
export async function publishLog(
  ledger: string,
  folder: string,
  { sign, origin }: PublishOptions,
  terminal: Terminal,
): Promise<Outcome<PublishedCheckpoint>> {
  const log = await hashesIn(ledger);
  if (!log.ok) return log;
  const signer = await openSigner(sign, origin, terminal);
  const before = await publishedIn(folder, signer);
  if (before !== undefined && !before.ok) return before;
  const fault = before && growthFault(before.value.checkpoint, log.value);
  if (fault !== undefined) return fault;
  return pass(write(folder, log.value, signer, before?.value));
}

async function hashesIn(ledger: string): Promise<Outcome<LogHashes>> {
  const store = lookAt(ledger);
  if (!store.ok) return store;
  try {
    return await logHashes(store.value);
  } finally {
    await store.value.close();
  }
}

interface Published {
  readonly checkpoint: Checkpoint;
  readonly text: string;
}

async function publishedIn(folder: string, signer: FileSigner): Promise<Outcome<Published> | undefined> {
  const path = join(folder, CHECKPOINT);
  if (!existsSync(path)) return undefined;
  const text = decodeUtf8(readFileSync(path)) ?? '';
  const checked = await checkedCheckpoint(text, formatKey(signer));
  return checked.ok ? pass({ checkpoint: checked.value, text }) : checked;
}

function write(
  folder: string,
  { size, root, hashes }: LogHashes,
  signer: FileSigner,
  before: Published | undefined,
): PublishedCheckpoint {
  const published = { origin: signer.name, size, root, key: formatKey(signer) };
  // The file may have got signatures of witnesses.
  if (before?.checkpoint.size === size) return { ...published, text: before.text, files: 0 };
  const signed = formatCheckpoint({ origin: signer.name, size, root, runs: [] });
  const text = signedNote(signed, signer, signer.sign(encodeText(signed)));
  mkdirSync(folder, { recursive: true });
  let files = 1;
  for (const file of tileFiles(hashes, before?.checkpoint.size)) {
    writeLogFile(folder, file);
    files++;
  }
  writeLogFile(folder, { path: CHECKPOINT, bytes: encodeText(text) });
  return { ...published, text, files };
}
