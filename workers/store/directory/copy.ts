import { assert } from '../../../core/assert.ts';
import type { FrameUsage } from '../journal/compaction.ts';
import type { ByteFile } from '../journal/file.ts';
import type { FramePlace } from '../journal/journal.ts';
import { appendFrames, readEntry } from '../journal/journal.ts';
import { inParts } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import { Places } from './places.ts';

/** Contents to copy: every batch as stored, and exactly these rows. */
interface CopySource {
  readonly from: ByteFile;
  readonly places: Places;
  readonly rows: readonly TableWrite[];
  /** Name of the new file. */
  readonly began: string;
  /** Counts the frames of the new file. */
  readonly usage: FrameUsage;
}

/** Copies these contents into a new file. Returns the places of the batches in it. */
export function copyInto(file: ByteFile, { from, places, rows, began, usage }: CopySource): Places {
  const standing = new Places();
  appendFrames(file, [{ tables: [], began, flushed: 0 }]);
  for (const place of places.inOrder()) {
    const { batch } = readEntry(from, place);
    assert(batch !== undefined, 'a batch stands where one was found');
    const [moved] = appendFrames(file, [{ batch, tables: [] }]);
    usage.note({ batch, tables: [] }, place.length);
    standing.put(batch.run_id, { ...place, ...(moved as FramePlace) });
  }
  appendFrames(file, [{ tables: [], whole: true }]);
  for (const tables of inParts(rows)) {
    const [written] = appendFrames(file, [{ tables }]);
    usage.note({ tables }, written?.length ?? 0);
  }
  return standing;
}
