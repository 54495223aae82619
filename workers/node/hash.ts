import crypto from 'node:crypto';
import zlib from 'node:zlib';
import { useSha256 } from '../../core/hash.ts';
import { useCrc32 } from '../store/journal/header.ts';

/** Hands out the hash and the check sum of Node, where there are any: several times as fast as our loops. */
export function useNodeHash(): void {
  const { hash } = crypto;
  if (typeof hash === 'function') useSha256((bytes) => hash('sha256', bytes));
  const { crc32 } = zlib;
  if (typeof crc32 === 'function') useCrc32((bytes) => crc32(bytes));
}
