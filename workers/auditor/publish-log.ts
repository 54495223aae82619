import { decodeUtf8, encodeText } from '../../core/json/utf8.ts';
import { type Checkpoint, formatCheckpoint, formatKey, signedNote } from '../../core/ledger/checkpoint.ts';
import { type TileFile, tileFiles } from '../../core/ledger/tiles.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { LedgerStore } from '../store/store.ts';
import type { Signer } from './checkpoint.ts';
import { checkedCheckpoint, growthFault, type ReadLogFile } from './compare-checkpoints.ts';
import { type LogHashes, logHashes } from './verify-log.ts';

/** Name of the signed checkpoint among the files of a published log. */
export const CHECKPOINT_FILE = 'checkpoint';

/** Writes a file of a published log: a reader finds the whole file, or the file before. */
export type WriteLogFile = (file: TileFile) => void | Promise<void>;

/** Place of a published log: a folder, or a bucket of an object store. */
export interface LogPlace {
  readonly read: ReadLogFile;
  readonly write: WriteLogFile;
}

/** A log that was published. */
export interface PublishedLog {
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

/**
 * Writes the log of a store as static files: entries and tiles (C2SP tlog-tiles), and last its signed checkpoint. A log
 * that has not grown out of the checkpoint in its place is not signed: `log_rolled_back`, `log_forked`,
 * `checkpoint_unsigned`, `checkpoint_malformed`. Also refuses as the store does.
 */
export async function publishTo(place: LogPlace, store: LedgerStore, signer: Signer): Promise<Outcome<PublishedLog>> {
  const log = await logHashes(store);
  if (!log.ok) return log;
  const before = await publishedAt(place, signer);
  if (before !== undefined && !before.ok) return before;
  const fault = before && growthFault(before.value.checkpoint, log.value);
  return fault ?? pass(await write(place, log.value, signer, before?.value));
}

interface Before {
  readonly checkpoint: Checkpoint;
  readonly text: string;
}

async function publishedAt({ read }: LogPlace, signer: Signer): Promise<Outcome<Before> | undefined> {
  const bytes = await read(CHECKPOINT_FILE);
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes) ?? '';
  const checked = await checkedCheckpoint(text, formatKey(signer));
  return checked.ok ? pass({ checkpoint: checked.value, text }) : checked;
}

async function write(
  place: LogPlace,
  { size, root, hashes }: LogHashes,
  signer: Signer,
  before: Before | undefined,
): Promise<PublishedLog> {
  const published = { origin: signer.name, size, root, key: formatKey(signer) };
  // The file may have got signatures of witnesses.
  if (before?.checkpoint.size === size) return { ...published, text: before.text, files: 0 };
  const signed = formatCheckpoint({ origin: signer.name, size, root, runs: [] });
  const text = signedNote(signed, signer, await signer.sign(encodeText(signed)));
  let files = 0;
  for (const file of [
    ...tileFiles(hashes, before?.checkpoint.size),
    { path: CHECKPOINT_FILE, bytes: encodeText(text) },
  ]) {
    await place.write(file);
    files++;
  }
  return { ...published, text, files };
}
