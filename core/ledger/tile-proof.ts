import { hashInner, hashPairs, sha256 } from '../hash.ts';
import { levelAbove, NODE_BYTES, type Tile, tilePath, WIDTH } from './tiles.ts';
import { isEqual, splitOf } from './tree.ts';

/** The bytes of a tile, or of a wider tile that begins with it; undefined where there is none. */
export type ReadTile = (tile: Tile) => Uint8Array | undefined;

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
