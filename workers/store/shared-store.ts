import { deferred, orAborted } from '../async.ts';
import type { Peers } from './peer-channel.ts';
import type { LedgerStore } from './store.ts';

/** A store that several kernels have open at once, with their locks and messages. */
export interface SharedStore extends LedgerStore {
  /** Makes this store the only writer of a run until it releases the claim or closes. */
  readonly claim: Claim;
  /** Runs that a store on the same log writes, this store included. */
  readonly held: () => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  readonly peers: Peers;
  /** Blocks content changes by other stores on the same log until released. */
  readonly exclusive: () => Promise<() => void>;
}

/** Releases a run for the next writer. */
export type ReleaseClaim = () => void;

/**
 * Makes the caller the only writer of a run. Undefined where the run has another writer; with a signal it waits for the
 * release.
 */
export type Claim = (run_id: string, signal?: AbortSignal) => Promise<ReleaseClaim | undefined>;

/** The claims of a single process. */
export interface Claims {
  readonly claim: Claim;
  held(): ReadonlySet<string>;
}

/**
 * Makes the claims of a store that only this process writes: one writer for each run.
 *
 * @experimental
 */
export function makeClaims(): Claims {
  const held = new Map<string, Promise<void>>();
  const claim: Claim = async (run_id, signal) => {
    for (let free = held.get(run_id); free !== undefined; free = held.get(run_id)) {
      if (signal === undefined) return undefined;
      await orAborted(free, signal);
      if (signal.aborted) return undefined;
    }
    const { promise, resolve } = deferred<void>();
    held.set(run_id, promise);
    return () => {
      if (held.get(run_id) === promise) held.delete(run_id);
      resolve();
    };
  };
  return { claim, held: () => new Set(held.keys()) };
}

/** Times of a lease, in ms. */
export interface LeaseTimes {
  /** A store that does not renew a lease for so long loses it to the next store that asks. */
  readonly leaseMs: number;
  /** Interval of the renewals. */
  readonly renewMs: number;
  /** Interval at which a store that waits for a lease asks again. */
  readonly askMs: number;
}
