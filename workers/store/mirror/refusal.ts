import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { refuseFor } from '../idb/connection.ts';

/**
 * Refusal for an exception in the mirror. The database returns refusals as values, so an exception comes from the
 * mirror.
 */
export function mirrorRefusal(reason: unknown): Outcome<never> {
  const refused = refuseFor(reason);
  if (refused.refusal.code === 'store_full') return refused;
  return refuse('mirror_lost', {
    reason: reason instanceof Error || reason instanceof DOMException ? reason.name : 'unknown',
  });
}
