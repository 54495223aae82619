import { hashBytes, hashLeaves, hashPairs } from '../hash.ts';

/**
 * Tiles of a log, by C2SP's tlog-tiles: 256 consecutive hashes of a level of the RFC 6962 tree. Level 0 has the leaves,
 * and each higher level the roots of the full tiles below. The last tile of a level may be narrower.
 */
export interface Tile {
  readonly level: number;
  /** Place within the level. */
  readonly index: number;
  /** Number of hashes, 1 to 256. */
  readonly width: number;
}

/** A file of a published log. */
export interface TileFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Hashes of a full tile, and bytes of a hash. */
export const WIDTH = 256;
export const NODE_BYTES = 32;
/** Bytes of an entry in a bundle: the hash of a record behind its length. */
export const ENTRY_BYTES = 34;

/** Path of a tile: `tile/0/x001/x234/067`, and `.p/WIDTH` behind it where the tile is not full. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${placePath(index, width)}`;
}

/** Path of the bundle with the entries of a tile of level 0. */
export function entriesPath({ index, width }: Pick<Tile, 'index' | 'width'>): string {
  return `tile/entries/${placePath(index, width)}`;
}

function placePath(index: number, width: number): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return groups.join('/') + (width === WIDTH ? '' : `.p/${width}`);
}

/** The tiles of a level of a tree of this size, from an index on, one by one: a stranger may have named the size. */
export function* tilesOfLevel(size: number, level: number, from = 0): Generator<Tile> {
  const nodes = Math.floor(size / WIDTH ** level);
  for (let index = from; index * WIDTH < nodes; index++)
    yield { level, index, width: Math.min(WIDTH, nodes - index * WIDTH) };
}

/**
 * The files of a log of records with these hashes: tiles, and bundles of entries. An entry is the 32 bytes of a record's
 * hash. Tiles that were full at the size `from` are left out.
 */
export function* tileFiles(hashes: readonly string[], from = 0): Generator<TileFile> {
  const entries = hashBytes(hashes.join(''));
  for (const tile of tilesOfLevel(hashes.length, 0, Math.floor(from / WIDTH)))
    yield { path: entriesPath(tile), bytes: bundleOf(nodesIn(entries, tile)) };
  let nodes = hashLeaves(entries);
  for (let level = 0; nodes.length > 0; level++) {
    for (const tile of tilesOfLevel(hashes.length, level, Math.floor(from / WIDTH ** (level + 1))))
      yield { path: tilePath(tile), bytes: nodesIn(nodes, tile) };
    nodes = levelAbove(nodes);
  }
}

function nodesIn(nodes: Uint8Array, { index, width }: Tile): Uint8Array {
  const start = index * WIDTH * NODE_BYTES;
  return nodes.slice(start, start + width * NODE_BYTES);
}

/** The roots of the full tiles of a level. */
export function levelAbove(nodes: Uint8Array): Uint8Array {
  const full = Math.floor(nodes.length / (WIDTH * NODE_BYTES));
  let level = nodes.subarray(0, full * WIDTH * NODE_BYTES);
  for (let width = WIDTH; width > 1 && level.length > 0; width /= 2) level = hashPairs(level);
  return level;
}

/** Entries behind their lengths, in two bytes each. */
function bundleOf(entries: Uint8Array): Uint8Array {
  const bundle = new Uint8Array((entries.length / NODE_BYTES) * ENTRY_BYTES);
  for (let at = 0, to = 0; at < entries.length; at += NODE_BYTES, to += ENTRY_BYTES) {
    bundle[to + 1] = NODE_BYTES;
    bundle.set(entries.subarray(at, at + NODE_BYTES), to + 2);
  }
  return bundle;
}

/** The record hashes of a bundle; undefined for bytes that no bundle of a log of records has. */
export function entriesIn(bundle: Uint8Array, width: number): Uint8Array | undefined {
  const each = ENTRY_BYTES;
  if (bundle.length !== width * each) return undefined;
  const entries = new Uint8Array(width * NODE_BYTES);
  for (let nth = 0; nth < width; nth++) {
    if (bundle[nth * each] !== 0 || bundle[nth * each + 1] !== NODE_BYTES) return undefined;
    entries.set(bundle.subarray(nth * each + 2, (nth + 1) * each), nth * NODE_BYTES);
  }
  return entries;
}
