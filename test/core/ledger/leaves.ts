import { sha256 } from '../../../core/hash.ts';

/** Leaves of every length, the empty leaf included; the last two leaves of an odd tree differ. */
export function leavesOf(size: number): Uint8Array[] {
  return Array.from({ length: size }, (_, index) => new Uint8Array(index % 40).fill(index));
}

/** Hash of a list of leaves, by the words of RFC 6962 2.1. */
export function definition(leaves: readonly Uint8Array[]): Uint8Array {
  const [leaf] = leaves;
  if (leaf === undefined) return sha256(new Uint8Array());
  if (leaves.length === 1) return sha256(Uint8Array.of(0, ...leaf));
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(Uint8Array.of(1, ...definition(leaves.slice(0, split)), ...definition(leaves.slice(split))));
}

export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

export function replaced<T>(list: readonly T[], index: number, value: T): T[] {
  return list.map((element, at) => (at === index ? value : element));
}
