import { type Outcome, pass } from '../../../core/outcome.ts';
import type { Rebuilt } from '../../api.ts';
import type { LedgerStore } from '../../store/store.ts';
import { digest } from './digest.ts';
import { indexHash } from './index-hash.ts';
import { fileOf } from './ingest.ts';
import { inOrder } from './order.ts';

import type { CorpusIndex } from './section-index.ts';
import { eachFile } from './stored-content.ts';

/** Indexes the stored text anew and reports differing files by name. Changes no data. */
export async function rebuild(store: LedgerStore, known: CorpusIndex): Promise<Outcome<Rebuilt>> {
  const tables = new Map<string, string>();
  const differing = new Set<string>(known.files.keys());
  const read = await eachFile(store, async (path, row) => {
    const again = await fileOf(path, row.text, await digest(row.text));
    if (!again.ok) return;
    const { content_hash, sections } = again.value.entry;
    const before = known.files.get(path);
    const same = before?.content_hash === content_hash && before.sections === sections;
    // An equal table is shared: a second index of the whole corpus would take as much memory again.
    tables.set(path, same ? before.sections : sections);
    if (same) differing.delete(path);
    else differing.add(path);
  });
  if (!read.ok) return read;
  const paths = await inOrder([...tables.keys()]);
  const index_hash = await indexHash(paths.map((path) => tables.get(path) ?? ''));
  return pass({ index_hash, same: index_hash === (await known.indexHash()), differing: [...differing] });
}
