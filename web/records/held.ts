import type { Bodies, LedgerRecord } from '../../core/index.ts';
import { type HeldReceipt, heldIn } from '../../core/ledger/held.ts';

export { handleOf } from '../../core/capability/handle.ts';

type Release = NonNullable<NonNullable<Bodies['receipt']['evidence']['held']>['release']>;

/** The release of a step: its model was told the small value itself, for bits of a grant. */
export function releaseOf(records: readonly LedgerRecord[]): Release | undefined {
  return records.flatMap(({ kind, body }) => (kind === 'receipt' ? (body.evidence.held?.release ?? []) : []))[0];
}

/** The held outcome of a step: its model has a handle in the place of it. */
export function heldOf(records: readonly LedgerRecord[]): HeldReceipt | undefined {
  return heldIn(records)[0];
}
