import type { Authorized } from './authorize.ts';

/** Number of uses, by the grant's id. */
export type GrantUses = ReadonlyMap<string, number>;

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
export function charge(call: Authorized, used: GrantUses): { readonly charged: Charged; readonly used: GrantUses } {
  const { id } = call.grant;
  const after = new Map(used).set(id, (used.get(id) ?? 0) + 1);
  return { charged: call as Charged, used: after };
}

/**
 * The uses of each grant with those of its standing answers: each use of a child is a use of its parent.
 *
 * @param parents parent of each standing answer that the run was ever given, also of revoked ones
 */
export function usesWithChildren(used: GrantUses, parents: ReadonlyMap<string, string>): GrantUses {
  if (parents.size === 0) return used;
  const all = new Map(used);
  for (const [child, parent] of parents) all.set(parent, (all.get(parent) ?? 0) + (used.get(child) ?? 0));
  return all;
}
