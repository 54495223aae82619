import { rmSync } from 'node:fs';
import { assert } from '../../../core/assert.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { FrameUsage } from '../journal/compaction.ts';
import { appendFrames, type ByteFile, type FramePlace, readEntry } from '../journal/journal.ts';
import { inParts } from '../rows.ts';
import type { Pages } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { Places } from './batches.ts';
import { failure, makeFile } from './file.ts';

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

/** Bytes flushed at a time: a flush of all bytes would hold the thread for seconds. */
const FLUSH = 4 << 20;

/** Writes the pages as a log of its own into a new file. An exception of `pages` is thrown, and the file is removed. */
export async function writeIncoming(path: string, pages: Pages): Promise<Outcome<void>> {
  const file = makeFile(path);
  let isWhole = false;
  try {
    let flushed = 0;
    appendFrames(file, [{ tables: [], began: crypto.randomUUID(), flushed: 0 }]);
    for (let nth = 0, page = await pages(nth); page !== undefined; page = await pages(++nth)) {
      const { batches, tables } = page;
      const written = writing(() =>
        appendFrames(file, [{ tables }, ...batches.map((batch) => ({ batch, tables: [] }))]),
      );
      if (!written.ok) return written;
      if (file.size() - flushed < FLUSH) continue;
      await file.flush();
      flushed = file.size();
    }
    await file.flush();
    isWhole = true;
    return pass(undefined);
  } finally {
    file.close();
    if (!isWhole) rmSync(path, { force: true });
  }
}

function writing(write: () => unknown): Outcome<void> {
  try {
    write();
    return pass(undefined);
  } catch (reason) {
    return failure(reason);
  }
}
