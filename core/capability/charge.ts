import { GRANT_LIMITS } from '../limits.ts';
import type { Authorized } from './authorize.ts';
import { type GrantUses, NO_USE } from './grant-terms.ts';
import type { Grant } from './policy.ts';

/** An authorized call that has been paid for: the only thing `execute` takes. Made by `charge`, and of its record by `chargedBefore`. */
export interface Charged extends Authorized {
  readonly [charged]: true;
}
declare const charged: unique symbol;

/** A call whose use of the grant was counted when the ledger recorded its decision. */
export function chargedBefore(call: Authorized): Charged {
  return call as Charged;
}

/** Takes one use of the grant that authorized the call. The decision has already checked that a use is left. */
export function charge(
  call: Authorized,
  used: GrantUses,
  now: number,
): { readonly charged: Charged; readonly used: GrantUses } {
  return { charged: call as Charged, used: withUse(used, call.grant, now) };
}

/** Counts a use at this recorded time: a use of a standing answer is a use of its parent, too. */
export function withUse(used: GrantUses, { id, parent }: Pick<Grant, 'id' | 'parent'>, now: number): GrantUses {
  const after = new Map(used);
  for (const each of parent === undefined ? [id] : [id, parent]) {
    const { count, recent } = used.get(each) ?? NO_USE;
    after.set(each, { count: count + 1, recent: [...recent.slice(1 - GRANT_LIMITS.rateCalls), now] });
  }
  return after;
}
