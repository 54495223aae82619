// The sigstore verifier was written by other people from the same RFC: both verifiers must agree on every claim.
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js';
import { describe, expect, test } from 'vitest';
import { checkConsistency, checkInclusion, merkleRoot, proveConsistency, proveInclusion } from '../../../core/index.ts';
import { checkLeafHash } from '../../../core/ledger/tree.ts';
import { isTried } from '../../cases.ts';
import { type SuiteFile, suiteFiles } from '../../setup/suites.ts';
import { flipped, leavesOf, replaced } from './leaves.ts';

function sigstoreAccepts(claim: Parameters<typeof checkInclusion>[0]): boolean {
  const hashes = claim.proof.map((node) => Buffer.from(node));
  try {
    const inclusionProof = { logIndex: String(claim.index), hashes };
    // The sigstore verifier reads no other members of an entry and a checkpoint.
    verifyMerkleInclusion(
      { canonicalizedBody: Buffer.from(claim.leaf), inclusionProof } as never,
      { logSize: String(claim.size), logHash: Buffer.from(claim.root) } as never,
    );
    return true;
  } catch {
    return false;
  }
}

test('both verifiers accept the proof of every leaf up to 130 leaves, and checkInclusion refuses any altered node', () => {
  let bit = 0;
  // An assertion for each of a hundred thousand claims would take longer than the claims.
  const wrong: string[] = [];
  for (let size = 1; size <= 130; size++) {
    if (!isTried(size)) continue;
    const leaves = leavesOf(size);
    const root = merkleRoot(leaves);
    for (let index = 0; index < size; index++) {
      const claim = { leaf: leaves[index] as Uint8Array, index, size, proof: proveInclusion(leaves, index), root };
      if (!checkInclusion(claim) || !sigstoreAccepts(claim)) wrong.push(`${index} of ${size} is refused`);
      for (let node = 0; node < claim.proof.length; node++) {
        bit = (bit + 37) % 256;
        const proof = replaced(claim.proof, node, flipped(claim.proof[node] as Uint8Array, bit));
        if (checkInclusion({ ...claim, proof }))
          wrong.push(`${index} of ${size} is accepted with node ${node} altered`);
      }
      const moved = { ...claim, index: (index + 1) % size };
      if (checkInclusion(moved) !== sigstoreAccepts(moved))
        wrong.push(`${index} of ${size} is answered otherwise, moved`);
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);

test('checkConsistency accepts every older tree of trees up to 130 leaves, and refuses any altered node', () => {
  let bit = 0;
  const wrong: string[] = [];
  for (let size = 2; size <= 130; size += 7) {
    if (!isTried(size)) continue;
    const leaves = leavesOf(size);
    const root = merkleRoot(leaves);
    for (let oldSize = 1; oldSize <= size; oldSize++) {
      const oldRoot = merkleRoot(leaves.slice(0, oldSize));
      const claim = { oldSize, oldRoot, size, root, proof: proveConsistency(leaves, oldSize) };
      if (!checkConsistency(claim)) wrong.push(`${oldSize} in ${size} is refused`);
      for (let node = 0; node < claim.proof.length; node++) {
        bit = (bit + 41) % 256;
        const proof = replaced(claim.proof, node, flipped(claim.proof[node] as Uint8Array, bit));
        if (checkConsistency({ ...claim, proof }))
          wrong.push(`${oldSize} in ${size} is accepted with node ${node} altered`);
      }
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);

interface Vector {
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly leafHash: string;
  readonly root: string;
  readonly size1: number;
  readonly size2: number;
  readonly root1: string;
  readonly root2: string;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}

const files = suiteFiles('merkle/testdata');
const inclusion = (files ?? []).filter((file) => file.name.startsWith('inclusion/'));
const consistency = (files ?? []).filter((file) => file.name.startsWith('consistency/'));
describe('the published vectors of RFC 6962 trees', () => {
  test(files ? 'are all there' : 'NOT RUN: SALLYPORT_SUITES names no folder with merkle/', () => {
    expect(inclusion.length + consistency.length).toBe(files ? 196 : 0);
  });

  for (const file of inclusion) {
    test(`checkLeafHash answers ${file.name} as published`, () => {
      const vector = parsed(file);
      const { leafIdx: index, treeSize: size, root, leafHash } = vector;
      const claim = { index, size, root: bytes(root), leafHash: bytes(leafHash), proof: proofOf(vector) };
      expect(checkLeafHash(claim)).toBe(!vector.wantErr);
    });
  }

  for (const file of consistency) {
    test(`checkConsistency answers ${file.name} as published`, () => {
      const vector = parsed(file);
      const { size1: oldSize, size2: size, root1, root2 } = vector;
      const claim = { oldSize, size, oldRoot: bytes(root1), root: bytes(root2), proof: proofOf(vector) };
      expect(checkConsistency(claim)).toBe(!vector.wantErr);
    });
  }
});

function parsed(file: SuiteFile): Vector {
  return JSON.parse(Buffer.from(file.bytes).toString()) as Vector;
}

function bytes(base64: string | null): Uint8Array {
  return new Uint8Array(Buffer.from(base64 ?? '', 'base64'));
}

function proofOf(vector: Vector): Uint8Array[] {
  return (vector.proof ?? []).map(bytes);
}
