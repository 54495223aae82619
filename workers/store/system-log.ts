import { extend, NO_RECORDS } from '../../core/ledger/chain.ts';
import type { LedgerRecord, LogBody } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { type LedgerStore, readRecords } from './store.ts';
import type { TableWrite } from './tables.ts';

/** The run of the records that belong to no run. */
export const SYSTEM = 'system';

/** The epoch that a log is in, by the last record about itself; 0 where there is none. */
export async function epochOf(store: LedgerStore): Promise<Outcome<number>> {
  const texts = await readRecords(store, SYSTEM);
  if (!texts.ok) return texts;
  const last = texts.value.at(-1);
  return pass(last === undefined ? 0 : (JSON.parse(last) as LedgerRecord).epoch);
}

/** Records what happened to the log, in one write with the rows that changed by it, behind whatever others recorded of it in the meantime. */
export async function noteInLog(
  store: LedgerStore,
  epoch: number,
  body: LogBody,
  tables: readonly TableWrite[] = [],
): Promise<Outcome<void>> {
  for (;;) {
    const runs = await store.runs();
    if (!runs.ok) return runs;
    const { records, head } = runs.value.find(({ run_id }) => run_id === SYSTEM) ?? NO_RECORDS;
    const link = extend({ records, head }, { kind: 'log', body }, { run_id: SYSTEM, epoch, at: Date.now() });
    const append = { run_id: SYSTEM, expected: { records, head }, records: [link], payloads: [], tables };
    const done = await store.append(append, 'strict');
    if (done.ok) return pass(undefined);
    if (done.refusal.code !== 'head_moved') return done;
  }
}
