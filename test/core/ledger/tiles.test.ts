import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashBytes, sha256Text } from '../../../core/hash.ts';
import {
  areTilesOf,
  entriesIn,
  entriesPath,
  proveByTiles,
  type Tile,
  tileFiles,
  tilePath,
  tilesForConsistency,
  tilesOfLevel,
} from '../../../core/ledger/tiles.ts';
import { checkConsistency, merkleRootOf, proveConsistency } from '../../../core/ledger/tree.ts';
import { isTried } from '../../cases.ts';

const LONGEST = 70_000;
const HASHES = Array.from({ length: LONGEST }, (_, nth) => sha256Text(String(nth)));
const rootAt = (size: number) => merkleRootOf(HASHES.slice(0, size));
const LONGEST_ROOT = rootAt(LONGEST);
const filesOf = (size: number, from?: number) =>
  new Map([...tileFiles(HASHES.slice(0, size), from)].map(({ path, bytes }) => [path, bytes]));

describe('the paths of a published log', () => {
  test.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 1, index: 1_234_067, width: 256 }, 'tile/1/x001/x234/067'],
    [{ level: 2, index: 273, width: 112 }, 'tile/2/273.p/112'],
    [{ level: 0, index: 1000, width: 1 }, 'tile/0/x001/000.p/1'],
  ])('the tile %j is at %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
    if (tile.level === 0) expect(entriesPath(tile)).toBe(path.replace('tile/0', 'tile/entries'));
  });
});

describe('the tiles of a tree', () => {
  test('a tree of 70,000 leaves has the tiles that the specification counts', () => {
    const levels = [0, 1, 2, 3].map((level) => [...tilesOfLevel(70_000, level)]);
    expect(levels.map((tiles) => tiles.length)).toEqual([274, 2, 1, 0]);
    expect(levels.flatMap((tiles) => tiles.at(-1)?.width ?? [])).toEqual([112, 17, 1]);
  });

  test('a tree of 256 leaves has a full tile and a tile of one hash above', () => {
    const files = filesOf(256);
    expect([...files.keys()]).toEqual(['tile/entries/000', 'tile/0/000', 'tile/1/000.p/1']);
    expect(files.get('tile/1/000.p/1')).toEqual(rootAt(256));
  });

  test('an empty tree has no tiles', () => {
    expect([...tileFiles([])]).toEqual([]);
  });

  test('a log that has grown has new files alone beside those that it had', () => {
    const [before, after] = [filesOf(600), filesOf(1400)];
    const full = [...before.keys()].filter((path) => !path.includes('.p/'));
    expect(full).toEqual(['tile/entries/000', 'tile/entries/001', 'tile/0/000', 'tile/0/001']);
    const added = filesOf(1400, 600);
    expect([...added.keys()].sort()).toEqual([...after.keys()].filter((path) => !full.includes(path)).sort());
    for (const path of full) expect(after.get(path)).toEqual(before.get(path));
  });

  test('a bundle has the record hashes of its tile, each behind its length', () => {
    const bundle = filesOf(3).get('tile/entries/000.p/3') as Uint8Array;
    expect(bundle.length).toBe(3 * 34);
    expect([bundle[0], bundle[1]]).toEqual([0, 32]);
    expect(entriesIn(bundle, 3)).toEqual(hashBytes(HASHES.slice(0, 3).join('')));
    expect(entriesIn(bundle, 2)).toBeUndefined();
    expect(
      entriesIn(
        bundle.map((byte, at) => (at === 35 ? 31 : byte)),
        3,
      ),
    ).toBeUndefined();
  });
});

describe('a proof from tiles', () => {
  const readIn =
    (files: ReadonlyMap<string, Uint8Array>) =>
    (tile: Tile): Uint8Array | undefined =>
      files.get(tilePath(tile));

  test('every pair of sizes up to 40 has the proof that is made from the leaves', () => {
    const leaves = HASHES.slice(0, 40).map(hashBytes);
    for (let size = 1; size <= 40; size++) {
      if (!isTried(size)) continue;
      const read = readIn(filesOf(size));
      for (let oldSize = 1; oldSize <= size; oldSize++) {
        expect(proveByTiles(oldSize, size, read)).toEqual(proveConsistency(leaves.slice(0, size), oldSize));
        expect(areTilesOf(tilesForConsistency(oldSize, size), size, rootAt(size), read)).toBe(true);
      }
    }
  });

  const big = filesOf(LONGEST);
  test.each([1, 255, 257, 65_536, 69_999])(
    'a proof from %i to 70,000 leaves is accepted, and needs few tiles',
    (oldSize) => {
      const tiles = tilesForConsistency(oldSize, LONGEST);
      expect(tiles.length).toBeLessThan(7);
      expect(areTilesOf(tiles, LONGEST, LONGEST_ROOT, readIn(big))).toBe(true);
      const proof = proveByTiles(oldSize, LONGEST, readIn(big)) ?? [];
      const claim = { oldSize, oldRoot: rootAt(oldSize), size: LONGEST, root: LONGEST_ROOT, proof };
      expect(checkConsistency(claim)).toBe(true);
    },
  );

  test('one flipped bit in any tile that a proof needs is found', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 1500 }), fc.nat(), (one, other, at) => {
        const [oldSize, size] = [Math.min(one, other), Math.max(one, other)];
        const files = filesOf(size);
        const tiles = tilesForConsistency(oldSize, size);
        const root = rootAt(size);
        expect(areTilesOf(tiles, size, root, readIn(files))).toBe(true);
        const path = tilePath(tiles[at % tiles.length] as Tile);
        const bytes = (files.get(path) as Uint8Array).slice();
        const bit = at % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit % 8));
        expect(areTilesOf(tiles, size, root, readIn(new Map(files).set(path, bytes)))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('tiles of another length are no tiles', () => {
    const files = filesOf(300);
    const tiles = tilesForConsistency(100, 300);
    for (const bytes of [new Uint8Array(), new Uint8Array(31), new Uint8Array(8193)]) {
      const read = readIn(new Map(files).set('tile/0/001.p/44', bytes));
      expect(areTilesOf(tiles, 300, rootAt(300), read)).toBe(false);
    }
    expect(proveByTiles(100, 300, () => undefined)).toBeUndefined();
  });
});
