import { hashText, type Outcome, pass, refuse } from '../core/index.ts';
import { bytesAsFile } from './journal/bytes.ts';
import { type Entry, encodeFrame, says } from './journal/frame.ts';
import { frames } from './journal/journal.ts';
import { strangersEntry } from './journal/stranger.ts';
import { lastRows, restorable } from './mirror/restorable.ts';
import { EMPTY_LOG, type LedgerStore, PAGE } from './store.ts';
import { TABLES, type TableWrite } from './tables.ts';

/**
 * The whole ledger as one file: every batch of the log and every row beside it, framed as in the journal of a
 * directory, whose `ledger.journal` it can become. Not encrypted: whoever has it can read it.
 */
export async function backUp(store: LedgerStore): Promise<Outcome<Uint8Array>> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ; ) {
    const page = await store.log(from, PAGE);
    if (!page.ok) return page;
    parts.push(...page.value.map((batch) => encodeFrame({ batch, tables: [] })));
    const last = page.value.at(-1);
    if (page.value.length < PAGE || last === undefined) break;
    from = last.after.log.size;
  }
  const rows = await allRows(store);
  if (!rows.ok) return rows;
  parts.push(encodeFrame({ tables: rows.value, whole: true, at: 0 }));
  return pass(joined(parts));
}

/**
 * Puts a backup's log behind this one, if this one is its beginning; an empty one always is. Every hash is verified
 * first, and nothing is written of a file that is damaged, shortened in a batch, or of another log: `backup_refused`. A
 * ledger that has all of the log already stays as it is.
 */
export async function takeBack(store: LedgerStore, bytes: Uint8Array): Promise<Outcome<void>> {
  const read = readEntries(bytes);
  if (!read.ok) return read;
  const found = restorable(read.value, EMPTY_LOG, new Map());
  const whole = read.value.filter(({ batch }) => batch !== undefined).length === found.batches.length;
  if (!whole)
    return refuse('backup_refused', { what: `only ${found.log.size} of its records are what their hashes say` });
  const head = await store.head();
  if (!head.ok) return head;
  const { size, root } = head.value;
  const ours = found.roots.get(size);
  if (ours !== hashText(root)) return refuse('backup_refused', { what: `this ledger has ${size} others` });
  // rows are no part of the log: which are newer, these or those, nobody could say
  if (size > 0 && size === found.log.size) return pass(undefined);
  return store.restore(
    found.batches.filter(({ seq }) => seq >= size),
    lastRows(read.value),
  );
}

function readEntries(bytes: Uint8Array): Outcome<readonly Entry[]> {
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
