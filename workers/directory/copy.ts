import { assert } from '../../core/inner.ts';
import type { ByteFile } from '../journal/file.ts';
import { appendFrames, readEntry } from '../journal/journal.ts';
import type { Place } from '../journal/open.ts';
import { inParts } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import { Places } from './places.ts';

/** Every batch as it stands, and these rows and no others: what a file is worth. Returns where the batches are now. */
export function copyInto(file: ByteFile, from: ByteFile, places: Places, rows: readonly TableWrite[]): Places {
  const standing = new Places();
  for (const place of places.inOrder()) {
    const { batch } = readEntry(from, place);
    assert(batch !== undefined, 'a batch stands where one was found');
    const [moved] = appendFrames(file, [{ batch, tables: [] }]);
    standing.put(batch.run_id, { ...place, ...(moved as Place) });
  }
  appendFrames(file, [{ tables: [], whole: true }]);
  for (const tables of inParts(rows)) appendFrames(file, [{ tables }]);
  return standing;
}
