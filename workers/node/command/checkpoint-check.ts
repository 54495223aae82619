import { refuse as refuseLedger } from '../../../core/errors/ledger.ts';
import { refuse } from '../../../core/errors/witness.ts';
import { hashText } from '../../../core/hash.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import type { Checkpoint } from '../../../core/ledger/checkpoint.ts';
import { ENTRY_BYTES, entriesIn, entriesPath, tileFiles, tilesOfLevel } from '../../../core/ledger/tiles.ts';
import { merkleRootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { checkedCheckpoint, type ReadLogFile, readPart } from '../../auditor/compare-checkpoints.ts';
import { CHECKPOINT_FILE } from '../../auditor/publish-log.ts';
import { UsageError } from './command.ts';
import { logReader } from './published-log.ts';

/** A published log whose files agree. */
export interface CheckedLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** Number of files that were compared. */
  readonly files: number;
}

/**
 * Checks a published log whole: its entries have the root of its checkpoint, and each tile is the tile that they make.
 * `checkpoint_malformed`, `checkpoint_unsigned`, `anchor_disagrees`, and `tiles_malformed`.
 */
export async function checkPublished(log: string, key: string | undefined): Promise<Outcome<CheckedLog>> {
  const read = logReader(log);
  const checked = await checkedCheckpoint(await checkpointText(log, read), key);
  if (!checked.ok) return checked;
  const { origin, size, root } = checked.value;
  const hashes = await entriesOf(checked.value, read);
  if (!hashes.ok) return hashes;
  if (hashText(merkleRootOf(hashes.value)) !== root)
    return refuseLedger('anchor_disagrees', { what: 'its entries have another root' });
  let files = 1;
  for (const { path, bytes } of tileFiles(hashes.value)) {
    if (!isSame(bytes, await readPart(path, bytes.length, read)))
      return refuse('tiles_malformed', { what: `${path} is missing or altered` });
    files++;
  }
  return pass({ origin, size, root, files });
}

/** The checkpoint of a published log. */
export async function checkpointText(log: string, read: ReadLogFile): Promise<string> {
  const bytes = await read(CHECKPOINT_FILE);
  if (bytes === undefined) throw new UsageError(`${log} has no checkpoint`);
  return decodeUtf8(bytes) ?? '';
}

/** Records of a log that are checked: about a gigabyte of hashes and tiles in memory. */
const RECORDS_MAX: number = 1 << 22;

/** The record hashes in the bundles of a log. Its size is a stranger's number, and is bounded before a file is read. */
async function entriesOf({ size }: Checkpoint, read: ReadLogFile): Promise<Outcome<readonly string[]>> {
  if (size > RECORDS_MAX)
    return refuse('tiles_malformed', {
      what: `its size is ${size}, and no more than ${RECORDS_MAX} records are checked`,
    });
  const hashes: string[] = [];
  for (const tile of tilesOfLevel(size, 0)) {
    const path = entriesPath(tile);
    const bundle = await readPart(path, tile.width * ENTRY_BYTES, read);
    const entries = bundle && entriesIn(bundle, tile.width);
    if (entries === undefined) return refuse('tiles_malformed', { what: `${path} is missing, or no bundle` });
    for (let at = 0; at < entries.length; at += 32) hashes.push(hashText(entries.subarray(at, at + 32)));
  }
  return pass(hashes);
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && one.length === other.length && one.every((byte, at) => byte === other[at]);
}
