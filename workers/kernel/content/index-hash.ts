import { hashTexts } from '../../../core/hash.ts';
import { makePace, pause } from '../../async.ts';
import { digest } from './digest.ts';

/** UTF-16 units that the platform hashes at once: several times as fast, but it may block the thread for some 50 ms. */
const WHOLE = 1 << 25;

/** SHA-256 of the canonical SECTION_INDEX of these packed tables, in their order. Pauses as it goes. */
export async function indexHash(tables: readonly string[], whole: number = WHOLE): Promise<string> {
  const units = tables.reduce((sum, { length }) => sum + length, 0);
  const [hash, isDue] = [units > whole ? hashTexts() : gather(units + 1), makePace()];
  hash.add('[');
  for (const [nth, table] of tables.entries()) {
    if (nth > 0) hash.add(',');
    hash.add(table.slice(1, -1));
    if (isDue(table.length)) await pause();
  }
  hash.add(']');
  return hash.end();
}

/**
 * Collects the text for the platform's hash, which takes all of it at once. A unit is at most three bytes; unwritten
 * pages take no memory.
 */
function gather(units: number): { add(text: string): void; end(): Promise<string> } {
  const [utf8, bytes] = [new TextEncoder(), new Uint8Array(3 * units)];
  let end = 0;
  return {
    add(text) {
      end += utf8.encodeInto(text, bytes.subarray(end)).written;
    },
    end: () => digest(bytes.subarray(0, end)),
  };
}
