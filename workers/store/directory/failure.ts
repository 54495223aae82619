import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';

/** Refusal for a failed disk operation: `store_full`, or `store_lost` where the contents of the disk are unknown. */
export function failure(reason: unknown): Outcome<never> {
  const code = reason instanceof Error ? ((reason as NodeJS.ErrnoException).code ?? reason.name) : 'unknown';
  return code === 'ENOSPC' || code === 'EDQUOT' ? refuse('store_full', {}) : refuse('store_lost', { reason: code });
}
