import { type Outcome, pass } from '../../core/inner.ts';
import type { Rebuilt } from '../api.ts';
import type { LedgerStore } from '../store.ts';
import { digest } from './digest.ts';
import { type Holdings, makeHoldings } from './holdings.ts';
import { fileOf } from './ingest.ts';
import { eachFile } from './shelf.ts';

/** Indexes the stored text as if it came for the first time. Changes nothing: what differs is told by name. */
export async function rebuild(store: LedgerStore, known: Holdings): Promise<Outcome<Rebuilt>> {
  const fresh = makeHoldings();
  const differing = new Set<string>(known.files.keys());
  const read = await eachFile(store, async (path, row) => {
    const again = await fileOf(path, row.text, await digest(row.text));
    if (!again.ok) return;
    const { entry } = again.value;
    const before = known.files.get(path);
    const same = before?.content_hash === entry.content_hash && before.sections === entry.sections;
    // what is the same is there already: another index of all would be as much memory again
    fresh.change(new Map([[path, same ? { entry: before } : again.value]]));
    if (same) differing.delete(path);
    else differing.add(path);
  });
  if (!read.ok) return read;
  const index_hash = await fresh.indexHash();
  return pass({ index_hash, same: index_hash === (await known.indexHash()), differing: [...differing] });
}
