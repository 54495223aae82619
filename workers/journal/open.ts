import { type Outcome, pass, refuse } from '../../core/inner.ts';
import type { ByteFile } from './file.ts';
import { type Bytes, decodeBody, type Entry, says } from './frame.ts';
import { type Found, frames, goesOnBehind, wipe } from './journal.ts';

export type Place = Pick<Found, 'at' | 'length'>;

/**
 * Reads a file from its beginning and hands over what it says. An end that a crash tore is cut off: it was never
 * acknowledged. What is torn anywhere else is not repaired: `store_damaged`. Of two frames for one place in the log the
 * second one is what was left of the first, whose erasure is finished here.
 */
export function openJournal(file: ByteFile, visit: (entry: Entry, place: Place) => void, bytes?: Bytes): Outcome<void> {
  const standing = new Map<number, Pick<Found, 'at' | 'header'>>();
  const stale: Pick<Found, 'at' | 'header'>[] = [];
  const found = frames(file);
  let next = found.next();
  for (; next.done !== true; next = found.next()) {
    const { at, length, header, body } = next.value;
    if (header.state === 'wiping') stale.push({ at, header });
    if (!says(header.state)) continue;
    const entry = decodeBody(body, header.state, bytes);
    const before = entry.batch && standing.get(entry.batch.seq);
    if (before !== undefined) stale.push(before);
    if (entry.batch !== undefined) standing.set(entry.batch.seq, { at, header });
    visit(entry, { at, length });
  }
  const end = next.value;
  if (end < file.size()) {
    if (goesOnBehind(file, end)) return refuse('store_damaged', { at: end });
    file.truncate(end);
  }
  for (const frame of stale) wipe(file, frame);
  return pass(undefined);
}
