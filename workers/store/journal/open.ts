import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ByteFile } from './file.ts';
import { foreignEntry } from './foreign.ts';
import type { BytesMode, Entry } from './frame.ts';
import { hasContents } from './header.ts';
import { type FramePlace, frames, isDamageAt, type StaleFrame, wipe } from './journal.ts';

/** End of the whole frames of a file, and the frames still to be overwritten. */
export interface ReadJournal {
  readonly end: number;
  readonly stale: readonly StaleFrame[];
}

export type Visit = (entry: Entry, place: FramePlace) => void;

/**
 * Reads a file from its beginning and hands over its entries, without changing it. Of two frames for the same place in
 * the log, the second is the remainder of the first, and the erasure of the first is to be finished. A torn end was
 * never acknowledged as flushed. `store_damaged` where the file is torn in the middle, or holds a frame that no ledger
 * writes.
 */
export function readJournal(
  file: Pick<ByteFile, 'size' | 'read'>,
  visit: Visit,
  bytes?: BytesMode,
): Outcome<ReadJournal> {
  const standing = new Map<number, StaleFrame>();
  const stale: StaleFrame[] = [];
  const found = frames(file);
  let next = found.next();
  for (; next.done !== true; next = found.next()) {
    const { at, length, header, body } = next.value;
    if (header.state === 'wiping') stale.push({ at, header });
    if (!hasContents(header.state)) continue;
    const entry = foreignEntry(body, header.state, bytes);
    if (entry === undefined) return damaged(at, `holds at byte ${at} what no ledger writes`);
    const before = entry.batch && standing.get(entry.batch.seq);
    if (before !== undefined) stale.push(before);
    if (entry.batch !== undefined) standing.set(entry.batch.seq, { at, header });
    visit(entry, { at, length });
  }
  const end = next.value;
  if (end < file.size() && isDamageAt(file, end))
    return damaged(end, `is damaged at byte ${end}, and goes on behind it`);
  return pass({ end, stale });
}

export function damaged(at: number, what: string): Outcome<never> {
  return refuse('store_damaged', { at, what });
}

/** As `readJournal`, with repairs: a torn end is cut off, an erasure finished. */
export function openJournal(file: ByteFile, visit: Visit, bytes?: BytesMode): Outcome<void> {
  const read = readJournal(file, visit, bytes);
  if (!read.ok) return read;
  const { end, stale } = read.value;
  if (end < file.size()) file.truncate(end);
  wipeEach(file, stale);
  return pass(undefined);
}

export function wipeEach(file: ByteFile, stale: readonly StaleFrame[]): void {
  for (const frame of stale) wipe(file, frame);
}
