import { refuse } from '../../core/errors.ts';
import { formatExport } from '../../core/ledger/export.ts';
import { readRecord } from '../../core/ledger/line.ts';
import { secretPayloads } from '../../core/ledger/payloads.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { RunRow } from '../api.ts';
import { PAGE, runPages } from './paging.ts';
import type { Batch, LedgerStore, StoredPayload } from './store.ts';

/** The row of a run as its last batch has it: for a caller that writes behind it, or decides by it. */
export async function rowOf(
  store: Pick<LedgerStore, 'run' | 'runs'>,
  run_id: string,
): Promise<Outcome<RunRow | undefined>> {
  if (store.run !== undefined) return store.run(run_id);
  const runs = await store.runs();
  return runs.ok ? pass(runs.value.find((row) => row.run_id === run_id)) : runs;
}

/** The rows of all runs as their last batches have them: for a caller that decides by them. */
export async function rowsOf(store: Pick<LedgerStore, 'snapshot'>): Promise<Outcome<readonly RunRow[]>> {
  // not by `runs`, which may come from a list that a store keeps
  const found = await store.snapshot();
  return found.ok ? pass(found.value.runs) : found;
}

/** The canonical texts of a run's records from `from` on. */
export async function readRecords(store: LedgerStore, run_id: string, from = 0): Promise<Outcome<readonly string[]>> {
  const texts: string[] = [];
  for await (const page of runPages(store, run_id, from)) {
    if (!page.ok) return page;
    texts.push(...recordTexts(page.value, from));
  }
  return pass(texts);
}

/** The canonical texts of the records of these batches from record `from` of their run on. */
function recordTexts(batches: readonly Batch[], from: number): readonly string[] {
  return batches.flatMap(({ run_seq, records }) => records.slice(Math.max(0, from - run_seq)));
}

/** The records of a run as stored; `record_malformed` where a stored record was altered. */
export async function recordsOf(
  store: LedgerStore,
  run_id: string,
  from = 0,
): Promise<Outcome<readonly LedgerRecord[]>> {
  const texts = await readRecords(store, run_id, from);
  return texts.ok ? parseRecords(texts.value, from) : texts;
}

/** Records of a run from record `from` on, as many as a page of batches holds, and whether records follow them. */
export async function recordPage(
  store: LedgerStore,
  run_id: string,
  from: number,
): Promise<Outcome<{ readonly records: readonly LedgerRecord[]; readonly hasMore: boolean }>> {
  const batches = await store.read(run_id, from, PAGE + 1);
  if (!batches.ok) return batches;
  const records = parseRecords(recordTexts(batches.value.slice(0, PAGE), from), from);
  return records.ok ? pass({ records: records.value, hasMore: batches.value.length > PAGE }) : records;
}

/** The records of these texts; `record_malformed`. */
export function parseRecords(texts: readonly string[], from: number): Outcome<readonly LedgerRecord[]> {
  const records: LedgerRecord[] = [];
  for (const text of texts) {
    const record = readRecord(text);
    if (typeof record === 'string')
      return refuse('record_malformed', { what: `record ${from + records.length}: ${record}` });
    records.push(record.record);
  }
  return pass(records);
}

/**
 * A run as canonical JSONL with every payload that is still stored; payloads that a capability marks secret only with
 * `secrets`. `run_absent`, also where the run is deleted during the read: its beginning would pass for the whole run.
 */
export async function exportRun(store: LedgerStore, run_id: string, secrets: boolean): Promise<Outcome<string>> {
  const texts: string[] = [];
  const payloads: StoredPayload[] = [];
  for await (const page of runPages(store, run_id)) {
    if (!page.ok) return page;
    for (const batch of page.value) {
      texts.push(...batch.records);
      payloads.push(...batch.payloads);
      if (batch.gone !== undefined) return refuse('run_absent', { run_id });
    }
  }
  if (texts.length === 0) return refuse('run_absent', { run_id });
  return pass(formatExport(run_id, texts, secrets ? payloads : withoutSecrets(texts, payloads)));
}

function withoutSecrets(texts: readonly string[], payloads: readonly StoredPayload[]): readonly StoredPayload[] {
  const records = texts.flatMap((text) => {
    const line = readRecord(text);
    return typeof line === 'string' ? [] : [line.record];
  });
  // which payloads an unreadable record names with a salt is unknown, so no payload is exported
  if (records.length < texts.length) return [];
  const left = secretPayloads(records);
  return payloads.filter(({ sha256 }) => !left.has(sha256));
}
