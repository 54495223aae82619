import { assert } from '../assert.ts';
import { hashBytes, hashInner, hashLeaf, hashLeaves, hashPairs, sha256 } from '../hash.ts';
import { concatBytes } from '../json/utf8.ts';
import { isCount } from '../json/value.ts';
import { BYTES, demand, type OptionType } from '../option.ts';

/**
 * The Merkle tree of RFC 6962 2.1 and RFC 9162 2.1: leaves hash behind 0x00 and inner nodes behind 0x01, so a node
 * never passes for a leaf, and no leaf is duplicated to fill a level. Inputs of the checks are a stranger's.
 */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  demand('leaves', leaves, LEAVES);
  const peaks: Uint8Array[] = [];
  leaves.forEach((leaf, size) => grow(peaks, size, hashLeaf(leaf)));
  return foldPeaks(peaks) ?? sha256(new Uint8Array());
}

/** `merkleRoot` of leaves that are hashes, as hex digits: level by level, so that many nodes are hashed at once. */
export function merkleRootOf(hashes: readonly string[]): Uint8Array {
  if (hashes.length === 0) return sha256(new Uint8Array());
  let level = hashLeaves(hashBytes(hashes.join('')));
  while (level.length > NODE_BYTES) {
    // A node without a right sibling moves up unhashed.
    const paired = level.length - (level.length % (2 * NODE_BYTES));
    level = concatBytes([hashPairs(level.subarray(0, paired)), level.subarray(paired)]);
  }
  return level;
}

const NODE_BYTES = 32;

const LEAVES: OptionType = ['a list of Uint8Array', (value) => Array.isArray(value) && value.every(BYTES[1])];

/** The tree's right edge: the roots of its perfect subtrees, largest first. All that is needed to grow it. */
export interface Frontier {
  readonly size: number;
  readonly peaks: readonly Uint8Array[];
}

export function emptyFrontier(): Frontier {
  return { size: 0, peaks: [] };
}

export function push(frontier: Frontier, leaf: Uint8Array): Frontier {
  return pushLeaves(frontier, hashLeaf(leaf));
}

/** The tree with more leaves. `leaves` has the hash of each leaf (`hashLeaf`), 32 bytes each, in order. */
export function pushLeaves(frontier: Frontier, leaves: Uint8Array): Frontier {
  const peaks = frontier.peaks.slice();
  let { size } = frontier;
  for (let at = 0; at < leaves.length; at += NODE_BYTES) grow(peaks, size++, leaves.slice(at, at + NODE_BYTES));
  return { size, peaks };
}

/** Adds the hash of a leaf to a tree of this size: as many peaks merge as the size has trailing 1 bits. */
function grow(peaks: Uint8Array[], size: number, leaf: Uint8Array): void {
  let node = leaf;
  for (let rest = size; rest % 2 === 1; rest = half(rest)) node = hashInner(taken(peaks.pop()), node);
  peaks.push(node);
}

/** The root over a frontier; of the empty tree, the hash of the empty string. */
export function rootOf(frontier: Frontier): Uint8Array {
  return foldPeaks(frontier.peaks) ?? sha256(new Uint8Array());
}

function foldPeaks(peaks: readonly Uint8Array[]): Uint8Array | undefined {
  return peaks.reduceRight<Uint8Array | undefined>(
    (right, peak) => (right === undefined ? peak : hashInner(peak, right)),
    undefined,
  );
}

/** The siblings on the way from the leaf up to the root. RFC 9162 2.1.3.1. */
export function proveInclusion(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  demand('leaves', leaves, LEAVES);
  if (!isIndex(index, leaves.length)) throw new RangeError(`no leaf ${String(index)} among ${leaves.length}`);
  if (leaves.length === 1) return [];
  const split = splitOf(leaves.length);
  const left = leaves.slice(0, split);
  const right = leaves.slice(split);
  if (index < split) return [...proveInclusion(left, index), merkleRoot(right)];
  return [...proveInclusion(right, index - split), merkleRoot(left)];
}

export interface Inclusion {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** True if the leaf stands at this index of the tree with this size and root. Never throws, for any claim. */
export function checkInclusion(claim: Inclusion): boolean {
  return decide(() => isBytes(claim.leaf) && checkLeafHash({ ...claim, leafHash: hashLeaf(claim.leaf) }));
}

/** As `checkInclusion`, by the leaf's hash alone. RFC 9162 2.1.3.2. */
export function checkLeafHash(claim: Omit<Inclusion, 'leaf'> & { readonly leafHash: Uint8Array }): boolean {
  return decide(() => {
    const { leafHash, index, size, proof, root } = claim;
    if (!isSize(size) || !isIndex(index, size) || ![leafHash, root, ...proof].every(isNode)) return false;
    let at = index;
    let last = size - 1;
    let node = leafHash;
    for (const sibling of proof) {
      if (last === 0) return false;
      if (at % 2 === 1 || at === last) {
        node = hashInner(sibling, node);
        // A node without a right sibling moves up unhashed until it is itself a right child.
        while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
      } else node = hashInner(node, sibling);
      [at, last] = [half(at), half(last)];
    }
    return last === 0 && isEqual(node, root);
  });
}

/** The nodes that rebuild both the old root and the new root. RFC 9162 2.1.4.1. */
export function proveConsistency(leaves: readonly Uint8Array[], oldSize: number): Uint8Array[] {
  demand('leaves', leaves, LEAVES);
  if (!isSize(oldSize) || oldSize > leaves.length)
    throw new RangeError(`no tree of ${String(oldSize)} in ${leaves.length}`);
  return subproof(leaves, oldSize, true);
}

/** `known`: the verifier holds the root of exactly these old leaves, so it need not be sent. */
function subproof(leaves: readonly Uint8Array[], oldSize: number, known: boolean): Uint8Array[] {
  if (oldSize === leaves.length) return known ? [] : [merkleRoot(leaves)];
  const split = splitOf(leaves.length);
  const left = leaves.slice(0, split);
  const right = leaves.slice(split);
  if (oldSize <= split) return [...subproof(left, oldSize, known), merkleRoot(right)];
  return [...subproof(right, oldSize - split, false), merkleRoot(left)];
}

export interface Consistency {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/**
 * True if the old tree is a prefix of the new one. RFC 9162 2.1.4.2; an empty old tree is a prefix of every tree, so a
 * claim about it is empty and is refused. Never throws, for any claim.
 */
export function checkConsistency(claim: Consistency): boolean {
  return decide(() => {
    const { oldSize, oldRoot, size, root, proof } = claim;
    if (!isSize(oldSize) || !isSize(size) || oldSize > size) return false;
    // Equal sizes mean equal roots; no hash is computed, so the proof must be empty.
    if (oldSize === size) return proof.length === 0 && isBytes(oldRoot) && isBytes(root) && isEqual(oldRoot, root);
    return [oldRoot, root, ...proof].every(isNode) && rebuildsBoth(claim);
  });
}

function rebuildsBoth({ oldSize, oldRoot, size, root, proof }: Consistency): boolean {
  let at = oldSize - 1;
  let last = size - 1;
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  // `at` is now 0 exactly if the old size is a power of two: then its root is itself the first node.
  const [start, rest] = at === 0 ? [oldRoot, proof] : [proof[0], proof.slice(1)];
  if (start === undefined || rest.length === 0) return false;
  let oldNode = start;
  let node = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      oldNode = hashInner(sibling, oldNode);
      node = hashInner(sibling, node);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else node = hashInner(node, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isEqual(oldNode, oldRoot) && isEqual(node, root);
}

/** Arithmetic, not shifts: sizes reach beyond 32 bits. */
function half(size: number): number {
  return Math.floor(size / 2);
}

/** The largest power of two below the size, at which RFC 6962 splits a tree. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

function decide(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function isSize(value: unknown): value is number {
  return isCount(value) && value > 0;
}

function isIndex(value: unknown, size: number): value is number {
  return isCount(value) && value < size;
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isNode(value: unknown): value is Uint8Array {
  return isBytes(value) && value.length === 32;
}

/** True for two hashes of the same bytes. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length > 0 && one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function taken(peak: Uint8Array | undefined): Uint8Array {
  assert(peak !== undefined, 'a frontier has a peak for every one in its size');
  return peak;
}
