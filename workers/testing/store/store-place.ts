import type { Outcome } from '../../../core/outcome.ts';
import type { Acknowledgement, LedgerStore } from '../../store/store.ts';

/** Place where a log lives. Each `open` plays another tab. */
export interface StorePlace {
  open(): Promise<LedgerStore>;
  /** Ends a tab without warning. In a place without `crash` the store is closed instead. */
  crash?(store: LedgerStore): Promise<void>;
}

/** Value of an outcome. Throws for a refusal. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value;
}

/** The place in the log, which these stores give with the acknowledgement. */
export function placeOf(outcome: Outcome<Acknowledgement | undefined>): Acknowledgement {
  const place = valueOf(outcome);
  if (place === undefined) throw new Error('The store has given no place.');
  return place;
}
