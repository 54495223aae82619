import crypto from 'node:crypto';
import { useSha256 } from '../../core/hash.ts';

/** Hands core the hash of Node, where there is one: several times as fast as the loop in core. */
export function useNodeHash(): void {
  const { hash } = crypto;
  if (typeof hash === 'function') useSha256((bytes) => hash('sha256', bytes));
}
