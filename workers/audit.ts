import { formatExport, type LedgerRecord, type Outcome, pass, type Report, verifyExport } from '../core/index.ts';
import { type LedgerStore, PAGE, readRecords, type StoredPayload } from './store.ts';

/** The records of a run as they were stored; each was canonical text before it was an object. */
export async function recordsOf(store: LedgerStore, run_id: string): Promise<Outcome<readonly LedgerRecord[]>> {
  const texts = await readRecords(store, run_id);
  return texts.ok ? pass(texts.value.map((text) => JSON.parse(text) as LedgerRecord)) : texts;
}

/** A run as canonical JSONL, with every payload that is still there. */
export async function exportRun(store: LedgerStore, run_id: string): Promise<Outcome<string>> {
  const texts: string[] = [];
  const payloads: StoredPayload[] = [];
  for (let from = 0; ; ) {
    const page = await store.read(run_id, from, PAGE);
    if (!page.ok) return page;
    for (const batch of page.value) {
      texts.push(...batch.records);
      payloads.push(...batch.payloads);
    }
    if (page.value.length < PAGE) return pass(formatExport(run_id, texts, payloads));
    from = texts.length;
  }
}

/** Verifies what is stored by what an export of it says: the same checks that anybody can make. */
export async function verifyRun(store: LedgerStore, run_id: string): Promise<Outcome<Report>> {
  const text = await exportRun(store, run_id);
  return text.ok ? pass(verifyExport(text.value)) : text;
}
