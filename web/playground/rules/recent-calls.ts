import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { RunRow, Runtime } from '../../../workers/api.ts';

/** How often each definition was called lately, over the runs of this device. */
export interface RecentCalls {
  /** Decided calls of the last hour by the hash of their definition, as they were counted last. */
  readonly counts: ReadonlySignal<ReadonlyMap<string, number>>;
  refresh(): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** The newest runs that are read, and their records at most: a hint is not worth a long wait. */
const RUNS_MAX = 10;
const RECORDS_MAX = 2000;

export function openRecentCalls({ runs, ledger }: Pick<Runtime, 'runs' | 'ledger'>): RecentCalls {
  const counts = signal<ReadonlyMap<string, number>>(new Map());
  return {
    counts,
    refresh: async () => {
      const since = Date.now() - HOUR_MS;
      const newest = [...(await runs())]
        .filter((row) => isOwn(row) && row.records <= RECORDS_MAX)
        .sort((one, other) => other.at - one.at)
        .slice(0, RUNS_MAX);
      const found = new Map<string, number>();
      for (const { run_id } of newest)
        for (const hash of decidedIn(await ledger.records(run_id), since)) found.set(hash, (found.get(hash) ?? 0) + 1);
      counts.value = found;
    },
  };
}

const isOwn = ({ foreign }: RunRow): boolean => foreign !== true;

/** The definitions of the calls that were decided since then, one for each call. */
function decidedIn(records: readonly LedgerRecord[], since: number): readonly string[] {
  return records.flatMap(({ kind, body }) =>
    kind === 'decision' && body.decision !== 'REQUIRES_APPROVAL' && body.now >= since ? [body.capability_hash] : [],
  );
}
