import { hashText } from '../../../core/hash.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type FrameUsage, makeFrameUsage } from '../journal/compaction.ts';
import type { ByteFile } from '../journal/file.ts';
import { damaged, type ReadJournal, readJournal, type Visit } from '../journal/open.ts';
import { LogContents } from './contents.ts';
import type { FlushedExtent } from './witness.ts';

/** A journal that was read and compared with its witness. */
export interface ReadLog extends ReadJournal {
  readonly contents: LogContents;
  readonly usage: FrameUsage;
  /** Bytes that were on the disk, as the frames of the file say. */
  readonly sure: number;
  /** Name of this file; empty for an empty file. */
  readonly began: string;
}

/** Reads a journal and changes no byte. `store_damaged`, also where the file is shorter than its witness says. */
export function readLog(file: Pick<ByteFile, 'size' | 'read'>, seen: FlushedExtent | undefined): Outcome<ReadLog> {
  const [contents, usage] = [new LogContents(), makeFrameUsage()];
  let [sure, began] = [0, ''];
  let root: string | undefined;
  const visit: Visit = (entry, place) => {
    usage.note(entry, place.length);
    sure = Math.max(sure, entry.flushed ?? 0);
    if (place.at === 0) began = entry.began ?? '';
    contents.take(entry, place);
    const log = entry.batch?.after.log;
    if (log !== undefined && log.size === seen?.size) root = hashText(rootOf(log));
  };
  const read = readJournal(file, visit, 'copied');
  if (!read.ok) return read;
  const { end } = read.value;
  // a new file always begins with a whole frame
  if (end === 0 && file.size() > 0) return damaged(0, 'holds nothing that can be read');
  const missing = seen && missingOf(seen, { began, end, size: contents.log.size, root });
  if (missing !== undefined) return damaged(end, missing);
  return pass({ ...read.value, contents, usage, sure, began });
}

interface JournalEnd extends Pick<FlushedExtent, 'began' | 'size'> {
  readonly end: number;
  /** Root of the log at the size that the witness saw. */
  readonly root: string | undefined;
}

/** Names the part that was on the disk and is gone; undefined where the whole part is there. */
function missingOf(seen: FlushedExtent, { began, end, size, root }: JournalEnd): string | undefined {
  if (end === 0) return `is empty, and ledger.witness saw ${seen.bytes} bytes on the disk`;
  if (began === seen.began && end < seen.bytes)
    return `ends at byte ${end}, and ledger.witness saw ${seen.bytes} bytes on the disk`;
  if (size < seen.size) return `has ${size} records, and ledger.witness saw ${seen.size} on the disk`;
  return seen.size > 0 && root !== seen.root ? 'has other records than ledger.witness saw on the disk' : undefined;
}
