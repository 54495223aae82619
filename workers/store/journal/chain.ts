import { pause } from '../../async.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import { releaseRows } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import type { ByteFile } from './file.ts';
import { type Entry, encodeFrame } from './frame.ts';

/** Rows written frame by frame, so that no frame is as large as all of them: all rows count, or none. */
export interface Chain {
  add(rows: readonly TableWrite[]): Promise<void>;
  /** Returns when all rows are written and flushed. */
  end(): Promise<void>;
  /** Cuts the file back to its size before the chain. */
  undo(): void;
}

/** Bytes flushed at a time: a flush of all bytes would hold the thread for seconds. */
const FLUSH = 1 << 22;

/**
 * Begins at the end of a file that ends with a whole frame. The caller keeps other writers off the file until the chain
 * is ended or undone.
 */
export function openChain(
  file: ByteFile,
  { at, whole, flushed: sure }: Pick<Entry, 'at' | 'whole' | 'flushed'>,
): Chain {
  const start = file.size();
  const time = at === undefined ? {} : { at };
  let [size, flushed] = [start, start];
  let last: Entry | undefined;
  const first = { ...time, ...(whole && { whole }) };

  async function write(frame: Uint8Array): Promise<void> {
    file.write(frame, size);
    size += frame.length;
    releaseBuffer(frame);
    if (size - flushed < FLUSH) return;
    await file.flush();
    flushed = size;
  }

  return {
    // writes the part before: all other parts wait for the last
    async add(tables) {
      const before = last;
      last = { tables, ...(before === undefined ? first : time) };
      if (before === undefined) return;
      const frame = encodeFrame({ ...before, more: true }, 'bound');
      releaseRows(before.tables);
      await write(frame);
      await pause();
    },
    async end() {
      const { tables, ...mark } = last ?? { tables: [], ...first };
      await write(encodeFrame({ tables, ...mark, ...(sure !== undefined && { flushed: sure }) }));
      releaseRows(tables);
      if (size > flushed) await file.flush();
    },
    undo: () => file.truncate(start),
  };
}
