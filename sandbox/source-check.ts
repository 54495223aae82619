import { sha256Text } from '../core/hash.ts';
import { CALL_LIMITS } from '../core/limits.ts';
import type { GuestSource } from './capability.ts';

/**
 * Names the check of sources: a source that one check accepted may be refused by another. SHA-256 over the number of
 * the check, the pinned engines and the prelude. `test/sandbox/source-checker.test.ts` computes it, so that the kernel,
 * which remembers accepted sources, needs neither engine nor prelude for it.
 */
export const SOURCE_CHECK = 'f6e992cc4ce14226d3af4c57222bacfea61456b2807e657337cb86a0487e1199';

/** SHA-256 over the check and all that its verdict depends on: the source, its powers and its limits. */
export function sourceKey({ source, powers = [], limits }: GuestSource): string {
  const all = { ...CALL_LIMITS, ...limits };
  const each = Object.keys(CALL_LIMITS).map((name) => all[name as keyof typeof all]);
  return sha256Text(JSON.stringify([SOURCE_CHECK, source, powers, each]));
}
