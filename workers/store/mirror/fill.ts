import { type Outcome, pass } from '../../../core/outcome.ts';
import type { BrowserStore } from '../idb/store.ts';
import type { Entry } from '../journal/frame.ts';
import { eachRows } from '../rows.ts';
import { type Batch, PAGE } from '../store.ts';
import type { Mirror } from './place.ts';

export function asEntries(batches: readonly Batch[]): readonly Entry[] {
  return batches.map((batch) => ({ batch, tables: [] }));
}

/**
 * Writes the batches that a mirror lacks. True if a batch came with rows, which the batch does not contain. An aborted
 * signal throws.
 */
export async function fill(store: BrowserStore, mirror: Mirror, signal?: AbortSignal): Promise<Outcome<boolean>> {
  const places = await store.places();
  if (!places.ok) return places;
  const missing = places.value.filter((seq) => !mirror.has.has(seq));
  let rows = false;
  for (let from = 0; from < missing.length; from += PAGE) {
    signal?.throwIfAborted();
    const page = await store.at(missing.slice(from, from + PAGE));
    if (!page.ok) return page;
    rows ||= page.value.some((batch) => batch.rows === true);
    await mirror.append(asEntries(page.value), true);
  }
  return pass(rows);
}

/** Writes all current rows as the complete table contents. Later writes have a later time. */
export function takeRows(store: BrowserStore, mirror: Mirror): Promise<Outcome<void>> {
  return mirror.take({ whole: true, at: Date.now() }, async (take) => {
    const all = await eachRows(store, async (rows) => {
      await take(rows);
      return true;
    });
    return all.ok ? pass(undefined) : all;
  });
}
