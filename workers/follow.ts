import { type LedgerRecord, type Outcome, refusalError } from '../core/inner.ts';
import type { Abortable } from './api.ts';
import { orAborted } from './deferred.ts';

/** What a run has from a record on; waits a little where there is nothing yet. */
export type Look = (run_id: string, from: number) => Promise<Outcome<readonly LedgerRecord[]>>;

/** The records of a run as whoever has it writes them, to its seal or to the signal. */
export async function* follow(
  { look }: { readonly look: Look },
  run_id: string,
  { signal }: Abortable = {},
): AsyncGenerator<LedgerRecord> {
  for (let next = 0; ; ) {
    const found = await orAborted(look(run_id, next), signal);
    if (found === undefined) return;
    if (!found.ok) throw refusalError(found.refusal);
    const records = found.value;
    yield* records;
    if (signal?.aborted || records.at(-1)?.kind === 'seal') return;
    next += records.length;
  }
}
