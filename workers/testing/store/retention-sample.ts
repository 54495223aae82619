import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { makeRetention, type Retention } from '../../kernel/retention.ts';
import { readRecords } from '../../store/read-run.ts';
import type { Batch, LedgerStore } from '../../store/store.ts';
import { type SampleRun, sampleRun } from './sample.ts';
import { type StorePlace, valueOf } from './store-place.ts';

/** The two runs of a filled store. */
export const kept: SampleRun = sampleRun(1, 2);
export const other: SampleRun = sampleRun(2, 2);

/** Key of a kept value. The value has both labels, because a restored value always has both. */
export const KEY = 'own/notes/k';
export function noted(text: string): { text: string; labels: string[] } {
  return { text: JSON.stringify(text), labels: ['private', 'untrusted'] };
}

/** A store with both runs and a kept value. */
export async function filled(place: StorePlace): Promise<LedgerStore> {
  const store = await place.open();
  for (const { run_id, batches } of [kept, other]) {
    for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  }
  valueOf(await store.put([{ table: 'kept', key: KEY, value: noted('k') }], 'relaxed'));
  return store;
}

/** The retention of a store in which each run is free, or is being written. */
export function over(store: LedgerStore, free = true): Retention {
  return makeRetention({ store }, async (run_id, act) => (free ? act() : refuse('run_open', { run_id })));
}

/** Bodies of the system log. */
export async function events(store: LedgerStore): Promise<LogBody[]> {
  const texts = valueOf(await readRecords(store, 'system'));
  return texts.map((text) => (JSON.parse(text) as { body: LogBody }).body);
}

/** Number of payloads that the store has of a run. */
export async function payloadsOf(store: LedgerStore, run: SampleRun): Promise<number> {
  return valueOf(await store.read(run.run_id)).reduce((sum, { payloads }) => sum + payloads.length, 0);
}

/** Size and root of the log. */
export async function sizeAndRoot(store: LedgerStore): Promise<readonly [number, string]> {
  const { size, root } = valueOf(await store.head());
  return [size, hashText(root)];
}

/** The store, which refuses the write after so many writes: all that a crash leaves behind is what it has written. */
export function stopping(store: LedgerStore, after: number): LedgerStore {
  let left = after;
  const stop = <A extends unknown[], T>(write: (...given: A) => Promise<Outcome<T>>) => {
    const stopped = refuse('store_lost', { reason: 'the power went' });
    return async (...given: A): Promise<Outcome<T>> => (left-- > 0 ? write(...given) : stopped);
  };
  // a store in another realm has no functions that can be taken from it
  const append = stop((...given: Parameters<LedgerStore['append']>) => store.append(...given));
  const replace = stop((batches: readonly Batch[]) => store.replace(batches));
  const put = stop((...given: Parameters<LedgerStore['put']>) => store.put(...given));
  const tidy = stop((run_id?: string) => store.tidy(run_id));
  return { ...store, append, replace, put, tidy };
}
