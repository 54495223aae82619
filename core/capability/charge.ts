import type { Authorized } from './authorize.ts';

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
  used: ReadonlyMap<string, number>,
): { readonly charged: Charged; readonly used: ReadonlyMap<string, number> } {
  const { id } = call.grant;
  const after = new Map(used).set(id, (used.get(id) ?? 0) + 1);
  return { charged: call as Charged, used: after };
}
