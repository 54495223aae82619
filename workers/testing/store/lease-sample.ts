import { extend, headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import type { LeaseTimes } from '../../store/sql/lease-times.ts';
import type { Append } from '../../store/store.ts';
import { payload, runId, sampleRun } from './sample.ts';

/** A log that several stores open, with the times of each store's leases. */
export interface LeasePlace {
  /** Opens the log as another process. Without times its leases outlast the test. */
  open(times?: LeaseTimes): Promise<SharedStore>;
  /** End of the lease of a run, in ms. */
  expires(run_id: string): Promise<number>;
}

/** Leases that outlast a test on a busy machine. */
export const LASTING: LeaseTimes = { leaseMs: 600_000, renewMs: 200_000, askMs: 20 };

/** Leases that end within a test, and are renewed before. */
export const SHORT: LeaseTimes = { leaseMs: 1_000, renewMs: 100, askMs: 20 };

/** As a store whose process is paused: it renews no lease, and does not know it. */
export const PAUSED: LeaseTimes = { ...LASTING, leaseMs: 50, renewMs: 1e6 };

export const RUN: string = runId(1);

/** First append of a run. */
export function first(run = 1): Append {
  const { run_id, batches } = sampleRun(run, 1, false);
  return { run_id, ...(batches[0] as (typeof batches)[0]) };
}

/** Append of a record behind another append. */
export function behind({ run_id, records }: Append): Append {
  const last = records.at(-1);
  const expected = last === undefined ? NO_RECORDS : headAfter(last.record);
  const reason = { sha256: payload('reason').sha256, bytes: 6 };
  const link = extend(expected, { kind: 'state', body: { event: 'resumed', reason } }, { run_id, epoch: 0, at: 1 });
  return { run_id, expected, records: [link], payloads: [] };
}

/** Two stores on a log. The first has leases of these times. */
export async function two(
  place: LeasePlace,
  times: LeaseTimes = LASTING,
): Promise<readonly [SharedStore, SharedStore]> {
  return [await place.open(times), await place.open()];
}

export async function closed(...stores: readonly SharedStore[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
}
