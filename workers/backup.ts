import { hashText, type Outcome, pass, refuse } from '../core/inner.ts';
import { bytesAsFile } from './journal/bytes.ts';
import { type Entry, encodeFrame, says } from './journal/frame.ts';
import { frames } from './journal/journal.ts';
import { strangersEntry } from './journal/stranger.ts';
import { lastRows, restorable } from './mirror/restorable.ts';
import { EMPTY_LOG, type LedgerStore, PAGE } from './store.ts';
import { TABLES, type TableWrite } from './tables.ts';

/** Told how much is done of how much, from time to time; a no ends it, as far as it can be ended. */
export type Tell = (done: number, all: number) => boolean | Promise<boolean>;

/**
 * The whole ledger as one file: every batch of the log and every row beside it, framed as in the journal of a
 * directory, whose `ledger.journal` it can become. Not encrypted: whoever has it can read it. Counts records; nothing if ended.
 */
export async function backUp(store: LedgerStore, tell: Tell = onward): Promise<Outcome<Uint8Array | undefined>> {
  const parts: Uint8Array[] = [];
  const head = await store.head();
  if (!head.ok) return head;
  for (let from = 0; ; ) {
    const page = await store.log(from, PAGE);
    if (!page.ok) return page;
    parts.push(...page.value.map((batch) => encodeFrame({ batch, tables: [] })));
    const last = page.value.at(-1);
    if (last !== undefined) from = last.after.log.size;
    // the log may grow meanwhile
    if (!(await tell(from, Math.max(from, head.value.size)))) return pass(undefined);
    if (page.value.length < PAGE) break;
  }
  const rows = await allRows(store);
  if (!rows.ok) return rows;
  parts.push(encodeFrame({ tables: rows.value, whole: true, at: 0 }));
  return pass(joined(parts));
}

/**
 * Puts a backup's log behind this one, if this one is its beginning; an empty one always is. Every hash is verified
 * first, and nothing is written of a file that is damaged, shortened in a batch, or of another log: `backup_refused`. A
 * ledger that has all of the log already stays as it is. False if it was ended before anything was written. Counts bytes,
 * each when it is read and when it is verified; what is then written is written in one go.
 */
export async function takeBack(store: LedgerStore, bytes: Uint8Array, tell: Tell = onward): Promise<Outcome<boolean>> {
  const read = await readEntries(bytes, tell);
  if (!read.ok) return read;
  if (read.value === undefined) return pass(false);
  const found = restorable(read.value, EMPTY_LOG, new Map());
  if (!(await tell(2 * bytes.length, 2 * bytes.length))) return pass(false);
  const whole = read.value.filter(({ batch }) => batch !== undefined).length === found.batches.length;
  if (!whole)
    return refuse('backup_refused', { what: `only ${found.log.size} of its records are what their hashes say` });
  const head = await store.head();
  if (!head.ok) return head;
  const { size, root } = head.value;
  const ours = found.roots.get(size);
  if (ours !== hashText(root)) return refuse('backup_refused', { what: `this ledger has ${size} others` });
  // rows are no part of the log: which are newer, these or those, nobody could say
  if (size > 0 && size === found.log.size) return pass(true);
  const restored = await store.restore(
    found.batches.filter(({ seq }) => seq >= size),
    lastRows(read.value),
  );
  return restored.ok ? pass(true) : restored;
}

const onward: Tell = () => true;

/** Entries between two words about it. */
const TOLD = 500;

async function readEntries(bytes: Uint8Array, tell: Tell): Promise<Outcome<readonly Entry[] | undefined>> {
  const found = frames(bytesAsFile(bytes));
  const entries: Entry[] = [];
  let next = found.next();
  for (; next.done !== true; next = found.next()) {
    const { header, body } = next.value;
    if (!says(header.state)) continue;
    const entry = strangersEntry(body, header.state);
    if (entry === undefined)
      return refuse('backup_refused', { what: `no ledger has what stands at byte ${next.value.at}` });
    entries.push(entry);
    if (entries.length % TOLD === 0 && !(await tell(next.value.at, 2 * bytes.length))) return pass(undefined);
  }
  if (next.value === bytes.length && entries.length > 0) return pass(entries);
  return refuse('backup_refused', { what: `it is damaged at byte ${next.value}` });
}

async function allRows(store: LedgerStore): Promise<Outcome<readonly TableWrite[]>> {
  const rows: TableWrite[] = [];
  for (const table of TABLES) {
    const all = await store.all(table);
    if (!all.ok) return all;
    rows.push(...all.value.map(([key, value]) => ({ table, key, value })));
  }
  return pass(rows);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
