import { type Grant, releaseCount } from '../../core/capability/policy.ts';
import { hasRoom } from '../../core/capability/release.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { RunEffect } from '../../core/run/effect.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { GrantRow } from '../api.ts';
import { makeSerialQueue } from '../async.ts';
import type { Ports } from '../ports.ts';
import type { LedgerStore } from '../store/store.ts';

type Charge = Extract<RunEffect, { type: 'charge' }>;

/** Charges the bits of a release, and answers what was charged to each grant before, by the grant's id. */
export type ChargeBits = (charge: Pick<Charge, 'bits' | 'grants'>) => Promise<ReadonlyMap<string, number>>;

/**
 * Counts the bits that all runs of a store have charged for each capability and principal. Calls are charged one after the other, also those of
 * other kernels, so that runs beside each other never charge the same bits. Throws for a store that refuses.
 */
export function makeCharging({ store, exclusive }: Pick<Ports, 'store' | 'exclusive'>): ChargeBits {
  const inTurn = makeSerialQueue();
  return ({ bits, grants }) =>
    inTurn(async () => {
      const release = await exclusive?.();
      try {
        const before = new Map<string, number>();
        for (const { id, count } of grants) before.set(id, unwrap(await chargedTo(store, count)));
        const writes = grants.flatMap(({ id, count, limit }) => {
          const sum = before.get(id) ?? 0;
          return hasRoom(sum, bits, limit)
            ? [{ table: 'kept' as const, key: keyOf(count), value: { bits: sum + bits } }]
            : [];
        });
        if (writes.length > 0) unwrap(await store.put(writes, 'strict'));
        return before;
      } finally {
        release?.();
      }
    });
}

/** The grants, those with `release` with the bits that all runs of the store have charged. */
export function withCharged(store: Pick<LedgerStore, 'get'>, grants: readonly Grant[]): Promise<readonly GrantRow[]> {
  return Promise.all(
    grants.map(async (grant) =>
      grant.release === undefined ? grant : { ...grant, charged: unwrap(await chargedTo(store, releaseCount(grant))) },
    ),
  );
}

/** Bits charged to all grants of this count: a changed definition of its capability begins no count anew. */
async function chargedTo(store: Pick<LedgerStore, 'get'>, count: string): Promise<Outcome<number>> {
  const row = await store.get('kept', keyOf(count));
  if (!row.ok) return row;
  const { bits = 0 } = (row.value ?? {}) as { readonly bits?: number };
  return pass(bits);
}

function keyOf(count: string): string {
  return `released/${count}`;
}
