import type { LedgerRecord } from '../../core/ledger/record.ts';
import { CALLBACK, optionsOf, SIGNAL } from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { FollowOptions } from '../api.ts';
import { orAborted } from '../async.ts';
import type { RunReader } from '../kernel/api.ts';

/** Yields the records of a run while its owner writes them, to the seal or until the signal aborts. */
export async function* follow(
  { look }: { readonly look: RunReader },
  run_id: string,
  options?: FollowOptions,
): AsyncGenerator<LedgerRecord> {
  const { signal, onWriter } = optionsOf(options, { signal: SIGNAL, onWriter: CALLBACK });
  let written: boolean | undefined;
  for (let next = 0; ; ) {
    const found = await orAborted(look(run_id, next), signal);
    if (found === undefined) return;
    const { records, isWritten, hasMore } = unwrap(found);
    if (isWritten !== written) onWriter?.(isWritten);
    written = isWritten;
    yield* records;
    if (signal?.aborted || (!hasMore && records.at(-1)?.kind === 'seal')) return;
    next += records.length;
  }
}
