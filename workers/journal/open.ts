import { type Outcome, pass, refuse } from '../../core/inner.ts';
import type { ByteFile } from './file.ts';
import { type Bytes, decodeBody, type Entry, says } from './frame.ts';
import { type Found, frames, isDamageAt, wipe } from './journal.ts';

export type Place = Pick<Found, 'at' | 'length'>;
export type Stale = Pick<Found, 'at' | 'header'>;

/**
 * Reads a file from its beginning and hands over what it says. An end that a crash or a power cut tore is cut off: it was
 * never acknowledged as on the disk. What is torn anywhere else is not repaired: `store_damaged`. Of two frames for one
 * place in the log the second one is what was left of the first, whose erasure is to be finished.
 */
export function openJournal(
  file: ByteFile,
  visit: (entry: Entry, place: Place) => void,
  bytes?: Bytes,
  finish: (stale: readonly Stale[]) => void = (stale) => wipeEach(file, stale),
): Outcome<void> {
  const standing = new Map<number, Stale>();
  const stale: Stale[] = [];
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
    if (isDamageAt(file, end)) return refuse('store_damaged', { at: end });
    file.truncate(end);
  }
  if (stale.length > 0) finish(stale);
  return pass(undefined);
}

export function wipeEach(file: ByteFile, stale: readonly Stale[]): void {
  for (const frame of stale) wipe(file, frame);
}
