import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from '../../../core/hash.ts';
import {
  checkConsistency,
  checkInclusion,
  emptyFrontier,
  merkleRoot,
  proveConsistency,
  proveInclusion,
  push,
  rootOf,
} from '../../../core/ledger/tree.ts';
import { isTried } from '../../cases.ts';
import { definition, flipped, leavesOf, replaced } from './leaves.ts';

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('merkleRoot', () => {
  test('merkleRoot of no leaves is the hash of zero bytes', () => {
    expect(hashText(merkleRoot([]))).toBe(EMPTY);
    expect(hashText(rootOf(emptyFrontier()))).toBe(EMPTY);
  });

  test('merkleRoot hashes leaves and inner nodes apart, so that a leaf cannot stand for a node', () => {
    const [a, b] = [definition([Uint8Array.of(1)]), definition([Uint8Array.of(2)])];
    const both = merkleRoot([Uint8Array.of(1), Uint8Array.of(2)]);
    expect(hashText(merkleRoot([a]))).not.toBe(hashText(a));
    expect(hashText(merkleRoot([Uint8Array.of(...a, ...b)]))).not.toBe(hashText(both));
  });

  test('merkleRoot of three leaves differs from that of the same three with the last leaf twice', () => {
    const three = leavesOf(3);
    expect(hashText(merkleRoot(three))).not.toBe(hashText(merkleRoot([...three, ...three.slice(2)])));
  });

  test('merkleRoot equals the definition of RFC 6962 for every size up to 130', () => {
    const leaves = leavesOf(130);
    let frontier = emptyFrontier();
    for (let size = 1; size <= leaves.length; size++) {
      frontier = push(frontier, leaves[size - 1] as Uint8Array);
      expect(frontier.size).toBe(size);
      expect(hashText(rootOf(frontier))).toBe(hashText(definition(leaves.slice(0, size))));
    }
    expect(hashText(merkleRoot(leaves))).toBe(hashText(rootOf(frontier)));
  });

  test('rootOf a frontier does not change when a larger frontier is made from it', () => {
    const old = push(push(emptyFrontier(), Uint8Array.of(1)), Uint8Array.of(2));
    const before = hashText(rootOf(old));
    push(old, Uint8Array.of(3));
    expect(hashText(rootOf(old))).toBe(before);
  });
});

describe('checkInclusion', () => {
  const place = fc.integer({ min: 1, max: 300 }).chain((n) => fc.tuple(fc.constant(n), fc.nat(n - 1)));

  test('checkInclusion accepts the proofs of proveInclusion', () => {
    fc.assert(
      fc.property(place, ([n, index]) => {
        const leaves = leavesOf(n);
        const claim = {
          leaf: leaves[index] as Uint8Array,
          index,
          size: n,
          proof: proveInclusion(leaves, index),
          root: merkleRoot(leaves),
        };
        expect(checkInclusion(claim)).toBe(true);
      }),
    );
  });

  test('checkInclusion refuses a flipped bit, another index, another size, a node more and a node less', () => {
    fc.assert(
      fc.property(place, fc.nat(255), fc.nat(), ([n, index], bit, which) => {
        const leaves = leavesOf(n);
        const proof = proveInclusion(leaves, index);
        const claim = { leaf: leaves[index] as Uint8Array, index, size: n, proof, root: merkleRoot(leaves) };
        const node = which % Math.max(1, proof.length);
        const altered = [
          { ...claim, leaf: Uint8Array.of(...claim.leaf, 0) },
          { ...claim, root: flipped(claim.root, bit) },
          { ...claim, proof: [...proof, claim.root] },
          { ...claim, proof: [claim.root, ...proof] },
          { ...claim, index: index + 1 },
          { ...claim, index: index - 1 },
          { ...claim, index: n },
          { ...claim, index: index + 2 ** 32 },
          ...proof.slice(0, 1).flatMap((first) => [
            { ...claim, proof: replaced(proof, node, flipped(proof[node] ?? first, bit)) },
            { ...claim, proof: proof.slice(1) },
            { ...claim, proof: proof.slice(0, -1) },
          ]),
        ];
        for (const lie of altered) expect(checkInclusion(lie)).toBe(false);
      }),
    );
  });

  test('checkInclusion accepts a tree of 2^40 leaves, whose sizes do not fit into 32 bits', () => {
    // Proof of the first leaf in a tree; each sibling subtree is a known node.
    const size = 2 ** 40;
    const proof = Array.from({ length: 40 }, (_, level) => definition([Uint8Array.of(level)]));
    const leaf = Uint8Array.of(7);
    const root = proof.reduce((node, sibling) => hashPair(node, sibling), definition([leaf]));
    expect(checkInclusion({ leaf, index: 0, size, proof, root })).toBe(true);
    expect(checkInclusion({ leaf, index: 2 ** 39, size, proof, root })).toBe(false);
    expect(checkInclusion({ leaf, index: 0, size: size / 2, proof, root })).toBe(false);
  });

  test('checkInclusion answers false to a value that is no claim, and never throws', () => {
    const leaf = Uint8Array.of(1);
    const good = { leaf, index: 0, size: 1, proof: [], root: merkleRoot([leaf]) };
    expect(checkInclusion(good)).toBe(true);
    for (const none of [null, undefined, 1, 'x', [], {}, new Uint8Array(3)]) {
      expect(checkInclusion(none as never)).toBe(false);
    }
    const junk = [null, undefined, -1, 0.5, 'x', {}, [null]];
    for (const [name, value] of Object.keys(good).flatMap((each) => junk.map((one) => [each, one] as const))) {
      const claim: unknown = { ...good, [name]: value };
      expect(checkInclusion(claim as never), `${name} ${JSON.stringify(value)}`).toBe(false);
    }
    fc.assert(fc.property(fc.anything(), (value) => !checkInclusion(value as never)));
  });
});

describe('checkConsistency', () => {
  const sizes = fc.integer({ min: 1, max: 200 }).chain((n) => fc.tuple(fc.integer({ min: 1, max: n }), fc.constant(n)));
  test('checkConsistency accepts the proofs of proveConsistency for every pair of sizes up to 40', () => {
    for (let size = 1; size <= 40; size++)
      for (let old = 1; old <= size; old++)
        if (isTried(size + old)) expect(checkConsistency(claimOf(old, size)), `${old} in ${size}`).toBe(true);
  });

  test('checkConsistency refuses a flipped bit, other sizes, a node more and a node less', () => {
    fc.assert(
      fc.property(sizes, fc.nat(255), fc.nat(), ([oldSize, size], bit, which) => {
        const claim = claimOf(oldSize, size);
        const node = which % Math.max(1, claim.proof.length);
        const altered = [
          { ...claim, oldRoot: flipped(claim.oldRoot, bit) },
          { ...claim, root: flipped(claim.root, bit) },
          { ...claim, proof: [...claim.proof, claim.root] },
          { ...claim, oldSize: size + 1 },
          { ...claim, oldSize: 0 },
          ...claim.proof.slice(0, 1).flatMap((first) => [
            { ...claim, proof: replaced(claim.proof, node, flipped(claim.proof[node] ?? first, bit)) },
            { ...claim, proof: claim.proof.slice(1) },
            { ...claim, oldRoot: claim.root, root: claim.oldRoot },
          ]),
        ];
        for (const lie of altered) expect(checkConsistency(lie)).toBe(false);
      }),
    );
  });

  test('checkConsistency accepts a tree as a prefix of itself, and not with another root or a proof', () => {
    const claim = claimOf(5, 5);
    expect(checkConsistency(claim)).toBe(true);
    expect(checkConsistency({ ...claim, root: merkleRoot(leavesOf(4)) })).toBe(false);
    expect(checkConsistency({ ...claim, proof: [claim.root] })).toBe(false);
    expect(checkConsistency({ ...claim, oldRoot: new Uint8Array(), root: new Uint8Array() })).toBe(false);
  });

  test('checkConsistency refuses an old tree that was changed, shortened or reordered', () => {
    const leaves = leavesOf(20);
    const root = merkleRoot(leaves);
    for (let oldSize = 2; oldSize < 20; oldSize++) {
      const old = leaves.slice(0, oldSize);
      const proof = proveConsistency(leaves, oldSize);
      for (const other of [old.toReversed(), replaced(old, 1, Uint8Array.of(99)), old.slice(1)]) {
        expect(checkConsistency({ oldSize, oldRoot: merkleRoot(other), size: 20, root, proof })).toBe(false);
      }
    }
  });

  test('checkConsistency answers false to a value that is no claim, and never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => !checkConsistency(value as never)));
    const good = claimOf(3, 7);
    for (const name of Object.keys(good)) {
      for (const junk of [null, undefined, -1, 0.5, 'x', {}, [null], new Uint8Array(31)]) {
        const claim: unknown = { ...good, [name]: junk };
        expect(checkConsistency(claim as never), `${name} ${JSON.stringify(junk)}`).toBe(false);
      }
    }
  });
});

test('the provers refuse a leaf or a tree that is not there', () => {
  const leaves = leavesOf(3);
  for (const index of [-1, 3, 0.5, Number.NaN]) expect(() => proveInclusion(leaves, index)).toThrow(RangeError);
  for (const size of [0, 4, 1.5]) expect(() => proveConsistency(leaves, size)).toThrow(RangeError);
});

function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  // Hash of an inner node, as the root of a tree with the two arguments as hashed nodes.
  return rootOf({ size: 3, peaks: [left, right] });
}

function claimOf(oldSize: number, size: number) {
  const leaves = leavesOf(size);
  const old = merkleRoot(leaves.slice(0, oldSize));
  return { oldSize, oldRoot: old, size, root: merkleRoot(leaves), proof: proveConsistency(leaves, oldSize) };
}
