import { type LedgerRecord, type Outcome, pass, refuse } from '../core/index.ts';
import type { Report } from './api.ts';
import { type LedgerStore, readRecords } from './store.ts';

/** The records of a run as they were stored; each was canonical text before it was an object. */
export async function recordsOf(store: LedgerStore, run_id: string): Promise<Outcome<readonly LedgerRecord[]>> {
  const texts = await readRecords(store, run_id);
  return texts.ok ? pass(texts.value.map((text) => JSON.parse(text) as LedgerRecord)) : texts;
}
export async function exportRun(_s: LedgerStore, _r: string): Promise<Outcome<string>> { return refuse('log_failed', {reason:'x'}); }
export async function verifyRun(_s: LedgerStore, _r: string): Promise<Outcome<Report>> { return refuse('log_failed', {reason:'x'}); }
