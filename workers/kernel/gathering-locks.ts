import type { Ports } from '../ports.ts';
import type { LedgerStore } from '../store/store.ts';

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
