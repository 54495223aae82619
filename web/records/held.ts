import type { LedgerRecord } from '../../core/index.ts';
import { type HeldReceipt, heldIn } from '../../core/ledger/held.ts';

export { handleOf } from '../../core/capability/handle.ts';

/** The held outcome of a step: its model has a handle in the place of it. */
export function heldOf(records: readonly LedgerRecord[]): HeldReceipt | undefined {
  return heldIn(records)[0];
}
