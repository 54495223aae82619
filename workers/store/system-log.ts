import { extend, NO_RECORDS } from '../../core/ledger/chain.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { readRecords, rowOf } from './read-run.ts';
import type { LedgerStore } from './store.ts';
import type { TableWrite } from './tables.ts';

/** Id of the run that holds the records about the log itself. */
export const SYSTEM = 'system';

/** Current epoch of a log, from its last record about itself; 0 without a record. */
export async function epochOf(store: LedgerStore): Promise<Outcome<number>> {
  const texts = await readRecords(store, SYSTEM);
  if (!texts.ok) return texts;
  const last = texts.value.at(-1);
  return pass(last === undefined ? 0 : (JSON.parse(last) as LedgerRecord).epoch);
}

/**
 * Records an event of the log, in a single write with the rows that changed by it, and retries behind records that
 * other writers added meanwhile. A restored log may be of a later epoch than its store: epochs never go back.
 */
export async function recordInLog(
  store: LedgerStore,
  epoch: number,
  body: LogBody,
  tables: readonly TableWrite[] = [],
): Promise<Outcome<void>> {
  for (;;) {
    const row = await rowOf(store, SYSTEM);
    if (!row.ok) return row;
    const latest = await epochOf(store);
    if (!latest.ok) return latest;
    const { records, head } = row.value ?? NO_RECORDS;
    const link = extend(
      { records, head },
      { kind: 'log', body },
      { run_id: SYSTEM, epoch: Math.max(epoch, latest.value), at: Date.now() },
    );
    const append = { run_id: SYSTEM, expected: { records, head }, records: [link], payloads: [], tables };
    const done = await store.append(append, 'strict');
    if (done.ok) return pass(undefined);
    if (done.refusal.code !== 'head_moved') return done;
  }
}
