import { type EarlierSource, storeIn } from '../../core/capability/hold.ts';
import { refuse } from '../../core/errors.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { ALL_LABELS, heldKey, SOURCE_WORDS, sourceKey, sourcesIn } from '../../core/run/commit/storage.ts';
import { rowsWith } from '../store/rows.ts';
import type { LedgerStore } from '../store/store.ts';
import type { TableWrite } from '../store/tables.ts';

/** The sources that runs of this store have handed held values to, by name. */
export async function handedSources(store: Pick<LedgerStore, 'all'>): Promise<Outcome<readonly EarlierSource[]>> {
  const rows = await rowsWith(store, ALL_LABELS);
  if (!rows.ok) return rows;
  return pass(sourcesIn(rows.value));
}

/** Clears a source for the runs that begin from now on. The labels of a store stay. `option_invalid` */
export async function clearSource(
  store: Pick<LedgerStore, 'all'>,
  source: string,
  note: (body: LogBody, tables: readonly TableWrite[]) => Promise<Outcome<void>>,
): Promise<Outcome<void>> {
  const all = await handedSources(store);
  if (!all.ok) return all;
  const found = all.value.find((each) => each.source === source);
  if (found === undefined)
    return refuse('option_invalid', { name: 'source', wants: 'a source that runtime.held.sources() lists' });
  const keys = storeIn(source) === undefined ? SOURCE_WORDS.map((word) => sourceKey(source, word)) : [heldKey(source)];
  const rows = keys.map((key): TableWrite => ({ table: 'kept', key, value: undefined }));
  return note({ event: 'cleared', source, labels: found.labels }, rows);
}
