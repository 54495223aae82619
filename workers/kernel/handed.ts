import { joined, type Label } from '../../core/capability/guard.ts';
import { type EarlierSource, storeIn, storeSource } from '../../core/capability/hold.ts';
import { refuse } from '../../core/errors.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { ALL_LABELS, labelPrefix, SOURCE_WORDS, type SourceRow, sourceKey } from '../../core/run/commit/storage.ts';
import { rowsWith } from '../store/rows.ts';
import type { LedgerStore } from '../store/store.ts';
import type { TableWrite } from '../store/tables.ts';

/** The sources that runs of this store have handed held values to, by name. */
export async function handedSources(store: Pick<LedgerStore, 'all'>): Promise<Outcome<readonly EarlierSource[]>> {
  const rows = await rowsWith(store, ALL_LABELS);
  if (!rows.ok) return rows;
  const known = new Map<string, readonly Label[]>();
  const held = new Set<string>();
  for (const [key, value] of rows.value) {
    const { source: named, labels } = value as unknown as Pick<SourceRow, 'labels'> & Partial<SourceRow>;
    const source = named ?? storeSource(nameIn(key));
    if (key === heldKey(source)) held.add(source);
    known.set(source, joined(known.get(source) ?? [], labels));
  }
  const found = [...known].filter(([source]) => held.has(source)).sort(([one], [other]) => (one < other ? -1 : 1));
  return pass(
    found.map(([source, labels]) => ({
      source,
      labels,
      ...(storeIn(source) !== undefined && { held: true as const }),
    })),
  );
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
    return refuse('option_invalid', { name: 'source', wants: 'a source that held values were handed to' });
  const keys = storeIn(source) === undefined ? SOURCE_WORDS.map((word) => sourceKey(source, word)) : [heldKey(source)];
  const rows = keys.map((key): TableWrite => ({ table: 'kept', key, value: undefined }));
  return note({ event: 'cleared', source, labels: found.labels }, rows);
}

/** Key of the row that a source has as long as it is known as one. */
function heldKey(source: string): string {
  const name = storeIn(source);
  return name === undefined ? sourceKey(source, 'held') : `${labelPrefix(name)}held`;
}

/** The capability whose store a label row is of: no name has a slash. */
function nameIn(key: string): string {
  return key.slice(ALL_LABELS.length, key.indexOf('/', ALL_LABELS.length));
}
