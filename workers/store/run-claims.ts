import { deferred, orAborted } from '../async.ts';

/** Releases a run for the next writer. */
export type Release = () => void;

/**
 * Makes the caller the only writer of a run. Undefined where the run has another writer; with a signal it waits for the
 * release.
 */
export type Claim = (run_id: string, signal?: AbortSignal) => Promise<Release | undefined>;

/** The claims of a single process. */
export interface Claims {
  readonly claim: Claim;
  held(): ReadonlySet<string>;
}

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
