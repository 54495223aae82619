import type { Ports } from '../ports.ts';
import { ORIGIN } from '../store/origin.ts';
import type { Claim } from '../store/shared-store.ts';
import type { LedgerStore } from '../store/store.ts';

const RUN = 'sallyport:run:';

/**
 * Claims a run by a lock of the origin. The lock ends with this worker, a crash included, and frees the run for another
 * tab.
 */
export const claim: Claim = async (run_id, signal) => {
  const { locks } = ORIGIN;
  if (locks === undefined) return () => undefined;
  return new Promise((resolve) => {
    const how = signal === undefined ? { ifAvailable: true } : { signal };
    const held = locks.request(`${RUN}${run_id}`, how, (lock) => {
      if (lock === null) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    });
    held.catch(() => resolve(undefined));
  });
};

/** Runs that any tab of this origin writes. */
export async function held(): Promise<ReadonlySet<string>> {
  const { held: locks = [] } = (await ORIGIN.locks?.query()) ?? {};
  const names = locks.flatMap(({ name = '' }) => (name.startsWith(RUN) ? [name.slice(RUN.length)] : []));
  return new Set(names);
}

/** Locks the content, which tabs share, so that a tab writes over exactly the state that it has checked. */
export function exclusive(): Promise<() => void> {
  const { locks } = ORIGIN;
  if (locks === undefined) return Promise.resolve(() => undefined);
  return new Promise((resolve, reject) => {
    const held = locks.request('sallyport:content', () => new Promise<void>((release) => resolve(release)));
    held.catch(reject);
  });
}

type Locks = Required<Pick<Ports, 'claim' | 'exclusive'>>;

/**
 * Locks of runs and content over a store whose index comes behind its files: the holder of a lock first reads what
 * earlier holders have written, and the lock is released when the index has what this holder has written. A refusal of
 * the store shows at the next read or write.
 */
export function gatheringLocks(store: Pick<LedgerStore, 'gather' | 'fill'>, { claim, exclusive }: Locks): Locks {
  const filled = (release: () => void): (() => void) => {
    return () => void (store.fill?.() ?? Promise.resolve()).finally(release);
  };
  return {
    async claim(run_id, signal) {
      const release = await claim(run_id, signal);
      if (release !== undefined) await store.gather?.(run_id);
      return release && filled(release);
    },
    async exclusive() {
      const release = await exclusive();
      await store.gather?.();
      return filled(release);
    },
  };
}
