import { type Outcome, pass } from '../../core/inner.ts';
import type { BrowserStore } from '../idb/store.ts';
import type { Entry } from '../journal/frame.ts';
import { type Batch, PAGE } from '../store.ts';
import { TABLES, type TableWrite } from '../tables.ts';
import type { Mirror } from './place.ts';

export function asEntries(batches: readonly Batch[]): readonly Entry[] {
  return batches.map((batch) => ({ batch, tables: [] }));
}

/** Writes the batches that a mirror has no copy of. True if rows came with one, which are not in it. A signal throws. */
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

/** All rows as they are now. What is written from now on comes later, by its time. */
export async function rowsOf(store: BrowserStore): Promise<Outcome<Entry>> {
  const at = Date.now();
  const rows: TableWrite[] = [];
  for (const table of TABLES) {
    const all = await store.all(table);
    if (!all.ok) return all;
    rows.push(...all.value.map(([key, value]) => ({ table, key, value })));
  }
  return pass({ tables: rows, whole: true, at });
}
