import type { Outcome } from '../../core/outcome.ts';
import type { Batch, LedgerStore } from './store.ts';

/** A page of a run holds at most this many batches, so that no run has to fit into memory at once. */
export const PAGE = 256;

/**
 * Pages of at most `size` items, up to the first page that is shorter. `read` receives the last item of the page before.
 * A refusal is the last page.
 */
export async function* pages<T>(
  size: number,
  read: (last: T | undefined) => Promise<Outcome<readonly T[]>>,
): AsyncGenerator<Outcome<readonly T[]>, undefined> {
  for (let last: T | undefined; ; ) {
    const page = await read(last);
    yield page;
    if (!page.ok || page.value.length < size) return;
    last = page.value.at(-1);
  }
}

/** The batches of a run, from the batch with record `from` on. */
export function runPages(store: LedgerStore, run_id: string, from = 0): ReturnType<typeof pages<Batch>> {
  return pages(PAGE, (last) => store.read(run_id, last === undefined ? from : last.run_seq + lengthOf(last), PAGE));
}

/** The batches of the log. */
export function logPages(store: LedgerStore): ReturnType<typeof pages<Batch>> {
  return pages(PAGE, (last) => store.log(last === undefined ? 0 : last.seq + lengthOf(last), PAGE));
}

/** Records of a batch, removed records included. */
function lengthOf({ records, gone = records }: Batch): number {
  return gone.length;
}
