import type { Ports } from '../ports.ts';
import { ORIGIN } from '../store/origin.ts';
import type { Claim } from '../store/shared-store.ts';
import type { LedgerStore } from '../store/store.ts';

/** The locks of a ledger in this origin. A lock ends with its worker, a crash included. */
interface LedgerLocks {
  /** Claims a run; its lock frees the run for another tab. */
  readonly claim: Claim;
  /** Runs that any tab of this origin writes. */
  readonly held: () => Promise<ReadonlySet<string>>;
  /** Locks the content, which tabs share, so that a tab writes over exactly the state that it has checked. */
  readonly exclusive: () => Promise<() => void>;
}

export function locksOf(database: string): LedgerLocks {
  const run = `${database}:run:`;
  const { locks } = ORIGIN;
  return {
    async claim(run_id, signal) {
      if (locks === undefined) return () => undefined;
      return new Promise((resolve) => {
        const how = signal === undefined ? { ifAvailable: true } : { signal };
        const held = locks.request(`${run}${run_id}`, how, (lock) => {
          if (lock === null) return resolve(undefined);
          return new Promise<void>((release) => resolve(release));
        });
        held.catch(() => resolve(undefined));
      });
    },
    async held() {
      const { held = [] } = (await locks?.query()) ?? {};
      const names = held.flatMap(({ name = '' }) => (name.startsWith(run) ? [name.slice(run.length)] : []));
      return new Set(names);
    },
    exclusive() {
      if (locks === undefined) return Promise.resolve(() => undefined);
      return new Promise((resolve, reject) => {
        const held = locks.request(`${database}:content`, () => new Promise<void>((release) => resolve(release)));
        held.catch(reject);
      });
    },
  };
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
