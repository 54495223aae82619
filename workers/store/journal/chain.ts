import { pause } from '../../async/pause.ts';
import { releaseBuffer } from '../../async/release-buffer.ts';
import { spend } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import type { ByteFile } from './file.ts';
import { type Entry, encodeFrame } from './frame.ts';

/** Rows that are written frame by frame, so that nothing is ever as large as all of them: they all count, or none. */
export interface Chain {
  add(rows: readonly TableWrite[]): Promise<void>;
  /** From here on all of it is there, and flushed. */
  end(): Promise<void>;
  /** As if it had never begun. */
  undo(): void;
}

/** So many bytes are flushed at a time: a flush of all of them would hold the thread for seconds. */
const FLUSH = 1 << 22;

/** At the end of a file that ends with a whole frame. Nobody else may write to it until it is ended or undone. */
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
    // one behind: what is written last is what all the others wait for
    async add(tables) {
      const before = last;
      last = { tables, ...(before === undefined ? first : time) };
      if (before === undefined) return;
      const frame = encodeFrame({ ...before, more: true }, 'bound');
      spend(before.tables);
      await write(frame);
      await pause();
    },
    async end() {
      const { tables, ...mark } = last ?? { tables: [], ...first };
      await write(encodeFrame({ tables, ...mark, ...(sure !== undefined && { flushed: sure }) }));
      spend(tables);
      if (size > flushed) await file.flush();
    },
    undo: () => file.truncate(start),
  };
}
