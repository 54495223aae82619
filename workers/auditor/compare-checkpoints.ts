import { refuse as refuseLedger } from '../../core/errors/ledger.ts';
import { refuse } from '../../core/errors/witness.ts';
import { hashBytes, hashText } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { type Checkpoint, type NoteKey, parseCheckpoint, parseKey, signatureBy } from '../../core/ledger/checkpoint.ts';
import {
  areTilesOf,
  NODE_BYTES,
  proveByTiles,
  type Tile,
  tilePath,
  tilesForConsistency,
} from '../../core/ledger/tiles.ts';
import { checkConsistency, merkleRootOf } from '../../core/ledger/tree.ts';
import { CALLBACK, demand, LIST, type OptionType, type OptionTypes, optionsOf } from '../../core/option.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import { isLedgerStore, type RuntimeStore } from '../store/runtime-store.ts';
import type { LedgerStore } from '../store/store.ts';
import { isSignedBy } from './checkpoint.ts';
import { type LogHashes, logHashes } from './verify-log.ts';

/** Reads a file of a published log by its path, as `tile/0/000`; undefined where there is none. */
export type ReadLogFile = (path: string) => Promise<Uint8Array | undefined>;

/** The log that checkpoints are compared with. */
export type ComparedLog =
  /** Reads the published log. Its own checkpoint comes last among those that are compared, so that it has their tiles. */
  | { readonly read: ReadLogFile }
  /** The ledger itself, or a copy of it. It stays open. */
  | { readonly store: RuntimeStore };

export type CompareOptions = ComparedLog & {
  /** The key that must have signed each checkpoint, as `NAME+ID+KEY`. Absent: signatures are not checked. */
  readonly key?: string;
};

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
 * the next (RFC 9162 2.1.4), and of the log in a store. Published tiles are a stranger's, and are checked against the
 * newest checkpoint. `log_rolled_back`, `log_forked`, `checkpoint_unsigned`, `checkpoint_malformed`; `tiles_malformed`
 * where the tiles do not decide, and the codes of the store. Throws `option_invalid`.
 */
export async function compareCheckpoints(
  texts: readonly string[],
  options: CompareOptions,
): Promise<Outcome<CheckpointHistory>> {
  demand('checkpoints', texts, TEXTS);
  const { read, store, key } = optionsOf(
    options as GivenOptions,
    OPTIONS,
    'store' in Object(options) ? ['store'] : ['read'],
  );
  const checkpoints: Checkpoint[] = [];
  for (const text of texts) {
    const checked = await checkedCheckpoint(text, key);
    if (!checked.ok) return checked;
    checkpoints.push(checked.value);
  }
  const { origin, size, root } = checkpoints.at(-1) as Checkpoint;
  const fault =
    orderFault(checkpoints) ??
    (store ? await storeFault(checkpoints, store) : await proofFault(checkpoints, read as ReadLogFile));
  return fault ?? pass({ origin, size, root, checkpoints: checkpoints.length });
}

interface GivenOptions {
  readonly read?: ReadLogFile;
  readonly store?: LedgerStore;
  readonly key?: string;
}

const TEXTS: OptionType = [
  'a list of checkpoints',
  (value) =>
    LIST[1](value) && (value as unknown[]).length > 0 && (value as unknown[]).every((one) => typeof one === 'string'),
];
const KEY: OptionType = ['a key as NAME+ID+KEY', (value) => keyIn(value) !== undefined];
const STORE: OptionType = ['an open store', isLedgerStore];
const OPTIONS: OptionTypes = { read: CALLBACK, store: STORE, key: KEY };

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
    if (size === 0 && root !== EMPTY_ROOT)
      return refuseLedger('checkpoint_malformed', { what: 'the root of an empty log' });
    before = checkpoint;
  }
  return undefined;
}

const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Compares checkpoints with the hashes of a log. */
async function storeFault(checkpoints: readonly Checkpoint[], store: LedgerStore): Promise<Refused | undefined> {
  const log = await logHashes(store);
  if (!log.ok) return log;
  for (const checkpoint of checkpoints) {
    const fault = growthFault(checkpoint, log.value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The reason why a log has not grown out of a checkpoint. */
export function growthFault(
  { size: earlier, root }: Pick<Checkpoint, 'size' | 'root'>,
  { size, hashes }: LogHashes,
): Refused | undefined {
  if (size < earlier) return refuse('log_rolled_back', { earlier, size });
  if (hashText(merkleRootOf(hashes.slice(0, earlier))) === root) return undefined;
  return refuse('log_forked', { earlier, size, what: OLDER });
}

const OLDER = 'the older is not the beginning of the newer';

async function proofFault(checkpoints: readonly Checkpoint[], read: ReadLogFile): Promise<Refused | undefined> {
  const newest = checkpoints.at(-1) as Checkpoint;
  const older = checkpoints.filter(({ size }) => size > 0 && size < newest.size);
  const root = hashBytes(newest.root);
  const known = new Map<string, Uint8Array>();
  const bytesOf = (tile: Tile) => known.get(tilePath(tile));
  for (const { size: earlier, root: oldRoot } of older) {
    const tiles = tilesForConsistency(earlier, newest.size);
    for (const tile of tiles) {
      if (bytesOf(tile) !== undefined) continue;
      const bytes = await readPart(tilePath(tile), tile.width * NODE_BYTES, read);
      if (bytes === undefined) return refuse('tiles_malformed', { what: `${tilePath(tile)} is missing` });
      known.set(tilePath(tile), bytes);
    }
    if (!areTilesOf(tiles, newest.size, root, bytesOf))
      return refuse('tiles_malformed', { what: `they do not have the root of ${newest.size} records` });
    const proof = proveByTiles(earlier, newest.size, bytesOf) ?? [];
    if (!checkConsistency({ oldSize: earlier, oldRoot: hashBytes(oldRoot), size: newest.size, root, proof }))
      return refuse('log_forked', { earlier, size: newest.size, what: OLDER });
  }
  return undefined;
}

/**
 * The file, or the beginning of the full file that a log has in its place once it has grown: a publisher writes the
 * checkpoint last.
 */
export async function readPart(path: string, length: number, read: ReadLogFile): Promise<Uint8Array | undefined> {
  const full = path.replace(/\.p\/\d+$/, '');
  return (await read(path)) ?? (full === path ? undefined : (await read(full))?.subarray(0, length));
}
