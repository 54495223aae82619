import type { Peers } from '../store/peer-channel.ts';
import type { LedgerStore } from '../store/store.ts';

/**
 * Makes a function that tells the other kernels of a run's new records, when they can read them: once for all records
 * that are on their way to the index.
 */
export function makeGrowth(
  store: Pick<LedgerStore, 'placed'>,
  peers: Pick<Peers, 'broadcast'> | undefined,
): (run_id: string) => void {
  const growing = new Set<string>();
  const broadcast = (run_id: string): void => peers?.broadcast({ type: 'grown', run_id });
  const later = async (run_id: string, placed: Promise<void>): Promise<void> => {
    growing.add(run_id);
    await placed;
    growing.delete(run_id);
    broadcast(run_id);
  };
  return (run_id) => {
    if (store.placed === undefined) broadcast(run_id);
    else if (!growing.has(run_id)) void later(run_id, store.placed());
  };
}
