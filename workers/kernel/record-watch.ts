import { refuse } from '../../core/errors.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { deferred } from '../async.ts';
import { recordPage } from '../store/read-run.ts';
import type { LedgerStore } from '../store/store.ts';
import type { RunReader, RunSlice } from './api.ts';
import { LOOK_MS, type Ownership } from './run-ownership.ts';

export interface RecordWatch {
  readonly look: RunReader;
  /** Signals that the run may have new records. */
  wake(run_id: string): void;
}

export function makeRecordWatch(store: LedgerStore, isWritten: Ownership['isWritten']): RecordWatch {
  const waiting = new Set<{ readonly run_id: string; readonly wake: () => void }>();

  async function seen(run_id: string, from: number): Promise<Outcome<RunSlice>> {
    const page = await recordPage(store, run_id, from);
    if (!page.ok) return page;
    const written = await isWritten(run_id);
    if (written || store.gather === undefined) return pass({ ...page.value, isWritten: written });
    // a writer that died has left records in its file
    const gathered = await store.gather();
    const found = gathered.ok ? await recordPage(store, run_id, from) : gathered;
    return found.ok ? pass({ ...found.value, isWritten: written }) : found;
  }

  async function look(run_id: string, from: number): Promise<Outcome<RunSlice>> {
    const { promise, resolve } = deferred<void>();
    const waiter = { run_id, wake: resolve };
    // Registered before the first read, so that records written meanwhile are not missed.
    waiting.add(waiter);
    const timer = setTimeout(resolve, LOOK_MS);
    try {
      const found = await seen(run_id, from);
      if (!found.ok || found.value.records.length > 0) return found;
      await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(waiter);
    }
    const late = await seen(run_id, from);
    return late.ok && from + late.value.records.length === 0 ? refuse('run_absent', { run_id }) : late;
  }

  return {
    look,
    wake: (run_id) => {
      for (const waiter of waiting) if (waiter.run_id === run_id) waiter.wake();
    },
  };
}
