import { type LedgerRecord, type Outcome, refusalError, refuse } from '../core/inner.ts';
import { recordsOf } from './audit.ts';
import { deferred, orAborted } from './deferred.ts';
import type { LedgerStore } from './store.ts';

/** A word that a run has grown may be lost, and an owner that was asked may not have heard: so often it is tried again. */
export const LOOK_MS = 2_000;

type Look = (run_id: string, from: number) => Promise<Outcome<readonly LedgerRecord[]>>;

export interface Following {
  /** The records of a run from `from` on; waits a little where there is none yet, and may find none. */
  readonly look: Look;
  /** The run may have more by now. */
  wake(run_id: string): void;
}

export function makeFollowing(store: LedgerStore): Following {
  const waiting = new Set<{ readonly run_id: string; readonly wake: () => void }>();

  async function look(run_id: string, from: number): Promise<Outcome<readonly LedgerRecord[]>> {
    const { promise, resolve } = deferred<void>();
    const waiter = { run_id, wake: resolve };
    // before the first look: what is written meanwhile is not missed
    waiting.add(waiter);
    const timer = setTimeout(resolve, LOOK_MS);
    try {
      const found = await recordsOf(store, run_id, from);
      if (!found.ok || found.value.length > 0) return found;
      await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(waiter);
    }
    return recordsOf(store, run_id, from);
  }

  return {
    look,
    wake: (run_id) => {
      for (const waiter of waiting) if (waiter.run_id === run_id) waiter.wake();
    },
  };
}

/** The records of a run as whoever has it writes them, to its seal or to the signal. */
export async function* follow(look: Look, run_id: string, signal?: AbortSignal): AsyncGenerator<LedgerRecord> {
  for (let next = 0; ; ) {
    const found = await orAborted(look(run_id, next), signal);
    if (found === undefined) return;
    if (!found.ok) throw refusalError(found.refusal);
    const records = found.value;
    if (next + records.length === 0) throw refusalError(refuse('run_absent', { run_id }).refusal);
    yield* records;
    if (signal?.aborted || records.at(-1)?.kind === 'seal') return;
    next += records.length;
  }
}
