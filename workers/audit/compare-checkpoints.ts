import { refuse } from '../../core/errors/ledger.ts';
import { hashBytes } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { type Checkpoint, type NoteKey, parseCheckpoint, parseKey, signatureBy } from '../../core/ledger/checkpoint.ts';
import { areTilesOf, proveByTiles, type Tile, tilePath, tilesForConsistency } from '../../core/ledger/tiles.ts';
import { checkConsistency } from '../../core/ledger/tree.ts';
import { CALLBACK, demand, LIST, type OptionType, type OptionTypes, optionsOf } from '../../core/option.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import { isSignedBy } from './ed25519.ts';

/** Reads a file of a published log by its path, as `tile/0/000`; undefined where there is none. */
export type ReadLogFile = (path: string) => Promise<Uint8Array | undefined>;

export interface CompareOptions {
  /** Reads the published log. Its own checkpoint comes last among those that are compared, so that it has their tiles. */
  readonly read: ReadLogFile;
  /** The key that must have signed each checkpoint, as `NAME+ID+KEY`. Absent: signatures are not checked. */
  readonly key?: string;
}

/** Checkpoints that are of one log, which has only grown. */
export interface CheckpointHistory {
  readonly origin: string;
  /** Size and root of the newest checkpoint. */
  readonly size: number;
  readonly root: string;
  /** Number of checkpoints that were compared. */
  readonly checkpoints: number;
}

/**
 * Compares checkpoints of a log in the order in which they were received, oldest first: each must be the beginning of
 * the next (RFC 9162 2.1.4), by proofs made from the log's tiles. The tiles are a stranger's, and are checked against
 * the newest checkpoint. `log_rolled_back`, `log_forked`, `checkpoint_unsigned`, `checkpoint_malformed`; and
 * `tiles_malformed` where the tiles do not decide. Throws `option_invalid`.
 */
export async function compareCheckpoints(
  texts: readonly string[],
  options: CompareOptions,
): Promise<Outcome<CheckpointHistory>> {
  demand('checkpoints', texts, TEXTS);
  const { read, key } = optionsOf(options, OPTIONS, ['read']);
  const checkpoints: Checkpoint[] = [];
  for (const text of texts) {
    const checked = await checkedCheckpoint(text, key);
    if (!checked.ok) return checked;
    checkpoints.push(checked.value);
  }
  const newest = checkpoints.at(-1) as Checkpoint;
  const fault = orderFault(checkpoints) ?? (await proofFault(checkpoints, newest, read));
  const { origin, size, root } = newest;
  return fault ?? pass({ origin, size, root, checkpoints: checkpoints.length });
}

const TEXTS: OptionType = [
  'a list of checkpoints',
  (value) =>
    LIST[1](value) && (value as unknown[]).length > 0 && (value as unknown[]).every((one) => typeof one === 'string'),
];
const KEY: OptionType = ['a key as NAME+ID+KEY', (value) => keyIn(value) !== undefined];
const OPTIONS: OptionTypes = { read: CALLBACK, key: KEY };

function keyIn(text: unknown): NoteKey | undefined {
  return typeof text === 'string' ? parseKey(text) : undefined;
}

/** Parses a checkpoint, and checks its signature if a key is given. */
export async function checkedCheckpoint(text: string, key: string | undefined): Promise<Outcome<Checkpoint>> {
  const note = parseCheckpoint(text);
  if (!note.ok) return note;
  const { checkpoint, text: signed } = note.value;
  const known = keyIn(key);
  if (known === undefined) return pass(checkpoint);
  const signature = signatureBy(note.value, known);
  const unsigned = (what: string) => refuse('checkpoint_unsigned', { size: checkpoint.size, what });
  if (signature === undefined) return unsigned('it has no signature of the key');
  const isRight = await isSignedBy(known.publicKey, signature, encodeText(signed));
  return isRight ? pass(checkpoint) : unsigned('its signature is wrong');
}

/** Faults that two checkpoints show without any tile. */
function orderFault(checkpoints: readonly Checkpoint[]): Refused | undefined {
  let before: Checkpoint | undefined;
  for (const checkpoint of checkpoints) {
    const { origin, size, root } = checkpoint;
    if (before !== undefined) {
      const sizes = { earlier: before.size, size };
      if (before.origin !== origin) return refuse('log_forked', { ...sizes, what: 'they name two logs' });
      if (size < before.size) return refuse('log_rolled_back', sizes);
      if (size === before.size && root !== before.root)
        return refuse('log_forked', { ...sizes, what: 'their roots differ' });
    }
    if (size === 0 && root !== EMPTY_ROOT) return refuse('checkpoint_malformed', { what: 'the root of an empty log' });
    before = checkpoint;
  }
  return undefined;
}

const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

async function proofFault(
  checkpoints: readonly Checkpoint[],
  newest: Checkpoint,
  read: ReadLogFile,
): Promise<Refused | undefined> {
  const older = checkpoints.filter(({ size }) => size > 0 && size < newest.size);
  const root = hashBytes(newest.root);
  const known = new Map<string, Uint8Array>();
  const bytesOf = (tile: Tile) => known.get(tilePath(tile));
  for (const { size: earlier, root: oldRoot } of older) {
    const tiles = tilesForConsistency(earlier, newest.size);
    for (const tile of tiles) {
      if (bytesOf(tile) !== undefined) continue;
      const bytes = await readTile(tile, read);
      if (bytes === undefined) return refuse('tiles_malformed', { what: `${tilePath(tile)} is missing` });
      known.set(tilePath(tile), bytes);
    }
    if (!areTilesOf(tiles, newest.size, root, bytesOf))
      return refuse('tiles_malformed', { what: `they do not have the root of ${newest.size} records` });
    const proof = proveByTiles(earlier, newest.size, bytesOf) ?? [];
    if (!checkConsistency({ oldSize: earlier, oldRoot: hashBytes(oldRoot), size: newest.size, root, proof }))
      return refuse('log_forked', { earlier, size: newest.size, what: 'the older is not the beginning of the newer' });
  }
  return undefined;
}

/** The tile, or the full tile that a log that has grown has in its place. */
async function readTile(tile: Tile, read: ReadLogFile): Promise<Uint8Array | undefined> {
  return (await read(tilePath(tile))) ?? (await read(tilePath({ ...tile, width: 256 })));
}
