import { ORIGIN } from '../store/origin.ts';
import type { Claim } from '../store/shared-store.ts';

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
