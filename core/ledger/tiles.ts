import { hashBytes, hashInner, hashLeaves, hashPairs, sha256 } from '../hash.ts';
import { isEqual, splitOf } from './tree.ts';

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
const WIDTH = 256;
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
function levelAbove(nodes: Uint8Array): Uint8Array {
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

/** The bytes of a tile, or of a wider tile that begins with it; undefined where there is none. */
type ReadTile = (tile: Tile) => Uint8Array | undefined;

/** Consecutive leaves, `to` excluded. */
type Leaves = readonly [from: number, to: number];

/**
 * The tiles that prove that a tree of one size is the beginning of a tree of another size, with the tiles by which each
 * of them is proven to be of the other tree.
 */
export function tilesForConsistency(oldSize: number, size: number): readonly Tile[] {
  const ranges: Leaves[] = [[0, size], ...rangesOf(oldSize, 0, size, true)];
  const needed = new Map<string, Tile>();
  const need = (tile: Tile): void => {
    if (needed.has(tilePath(tile))) return;
    needed.set(tilePath(tile), tile);
    if (tile.width === WIDTH) need(parentOf(tile, size));
  };
  for (const range of ranges) for (const { tile } of nodesOf(range, size)) need(tile);
  return [...needed.values()];
}

/**
 * True if these tiles are of the tree with this size and root: each full tile has the root that the tile above holds,
 * and the right edge of the tree has its root.
 */
export function areTilesOf(tiles: readonly Tile[], size: number, root: Uint8Array, read: ReadTile): boolean {
  const isAbove = (tile: Tile): boolean => {
    const bytes = bytesOf(tile, read);
    if (bytes === undefined) return false;
    if (tile.width < WIDTH) return true;
    const parent = bytesOf(parentOf(tile, size), read);
    return parent !== undefined && isEqual(nodeAt(parent, tile.index % WIDTH), levelAbove(bytes));
  };
  const whole = rootOfLeaves([0, size], size, read);
  return tiles.every(isAbove) && whole !== undefined && isEqual(whole, root);
}

/** The proof of RFC 9162 2.1.4.1, made from tiles; undefined where a tile is missing. */
export function proveByTiles(oldSize: number, size: number, read: ReadTile): readonly Uint8Array[] | undefined {
  const proof = rangesOf(oldSize, 0, size, true).map((range) => rootOfLeaves(range, size, read));
  return proof.every((node) => node !== undefined) ? proof : undefined;
}

/** The leaves under each node of a consistency proof. `known`: the verifier has the root of exactly these leaves. */
function rangesOf(oldSize: number, from: number, to: number, known: boolean): readonly Leaves[] {
  if (oldSize === to - from) return known ? [] : [[from, to]];
  const middle = from + splitOf(to - from);
  if (oldSize <= middle - from) return [...rangesOf(oldSize, from, middle, known), [middle, to]];
  return [...rangesOf(oldSize - (middle - from), middle, to, false), [from, middle]];
}

/** The root over these leaves; of no leaves, the hash of the empty string. */
function rootOfLeaves(range: Leaves, size: number, read: ReadTile): Uint8Array | undefined {
  const peaks = nodesOf(range, size).map(({ tile, from, count }) => {
    let nodes = bytesOf(tile, read)?.subarray(from * NODE_BYTES, (from + count) * NODE_BYTES);
    while (nodes !== undefined && nodes.length > NODE_BYTES) nodes = hashPairs(nodes);
    return nodes;
  });
  if (!peaks.every((peak) => peak !== undefined)) return undefined;
  return peaks.length === 0 ? sha256(new Uint8Array()) : peaks.reduceRight((right, peak) => hashInner(peak, right));
}

/** A perfect subtree: consecutive hashes of a tile. */
interface TileNodes {
  readonly tile: Tile;
  readonly from: number;
  readonly count: number;
}

/** The perfect subtrees over these leaves, from the left; they begin where a subtree of their size can begin. */
function nodesOf([from, to]: Leaves, size: number): readonly TileNodes[] {
  const nodes: TileNodes[] = [];
  for (let at = from; at < to; ) {
    let leaves = 1;
    while (leaves * 2 <= to - at && at % (leaves * 2) === 0) leaves *= 2;
    let level = 0;
    let below = 1;
    for (; below * WIDTH <= leaves; below *= WIDTH) level++;
    const first = at / below;
    const index = Math.floor(first / WIDTH);
    nodes.push({ tile: tileAt(level, index, size), from: first % WIDTH, count: leaves / below });
    at += leaves;
  }
  return nodes;
}

/** A tile that lies within a tree of this size. */
function tileAt(level: number, index: number, size: number): Tile {
  return { level, index, width: Math.min(WIDTH, Math.floor(size / WIDTH ** level) - index * WIDTH) };
}

/** The tile that holds the root of a full tile. */
function parentOf({ level, index }: Tile, size: number): Tile {
  return tileAt(level + 1, Math.floor(index / WIDTH), size);
}

function bytesOf(tile: Tile, read: ReadTile): Uint8Array | undefined {
  const bytes = read(tile);
  const length = tile.width * NODE_BYTES;
  return bytes === undefined || bytes.length < length || bytes.length > WIDTH * NODE_BYTES
    ? undefined
    : bytes.subarray(0, length);
}

function nodeAt(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.subarray(index * NODE_BYTES, (index + 1) * NODE_BYTES);
}
