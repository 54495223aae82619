import { refuse } from '../../core/errors.ts';
import { concatBytes, hashText } from '../../core/hash.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { type Entry, encodeFrame } from '../store/journal/frame.ts';
import { eachRows } from '../store/rows.ts';
import { type LedgerStore, PAGE } from '../store/store.ts';
import { asForeign } from './rows.ts';
import { type BackupProgress, pagesOf, survey, verify } from './scan.ts';

/** Takes the next bytes of a backup; nothing more is made before it has answered. */
export type BackupSink = (bytes: Uint8Array, ...told: Parameters<BackupProgress>) => ReturnType<BackupProgress>;

/**
 * The whole ledger as one file, page by page: every batch of the log and every row beside it, framed as in the journal of
 * a directory, whose `ledger.journal` it can become. The last frame counts those before it, so that no beginning passes
 * for the whole. Not encrypted: whoever has it can read it. Counts records; false if ended.
 */
export async function backUp(store: LedgerStore, take: BackupSink): Promise<Outcome<boolean>> {
  const head = await store.head();
  if (!head.ok) return head;
  let [from, frames] = [0, 0];
  const giveOn = (entries: readonly Entry[]) => {
    frames += entries.length;
    // the log may grow meanwhile
    return take(concatBytes(...entries.map((entry) => encodeFrame(entry))), from, Math.max(from, head.value.size));
  };
  for (let more = true; more; ) {
    const page = await store.log(from, PAGE);
    if (!page.ok) return page;
    from = page.value.at(-1)?.after.log.size ?? from;
    if (!(await giveOn(page.value.map((batch) => ({ batch, tables: [] }))))) return pass(false);
    more = page.value.length === PAGE;
  }
  // the first frame of the rows says that there are none but those that follow
  if (!(await giveOn([{ tables: [], whole: true, at: 0 }]))) return pass(false);
  const rows = await eachRows(store, (tables) => giveOn([{ tables, at: 0 }]));
  return rows.ok && rows.value ? pass(await giveOn([{ tables: [], end: frames }])) : rows;
}

/**
 * Puts a backup's log behind this one, if this one is its beginning; an empty one always is. Every hash is verified
 * first, and nothing is written of a file that is damaged, cut off anywhere, or of another log: `backup_refused`. A
 * ledger that has all of the log already stays as it is. What comes in is foreign: its runs are never resumed. False if it was ended before anything was written. Counts
 * bytes, each when it is read and when it is verified; what is then written cannot be ended. Without a store it is
 * verified, and that is all.
 */
export async function takeBack(
  store: LedgerStore | undefined,
  backup: Blob,
  tell: BackupProgress = () => true,
): Promise<Outcome<boolean>> {
  const head = (await store?.head()) ?? pass(undefined);
  if (!head.ok) return head;
  const from = head.value?.size ?? 0;
  const read = await survey(backup, tell);
  if (!read.ok) return read;
  if (read.value === undefined) return pass(false);
  const verified = await verify(backup, read.value, from, tell);
  if (!verified.ok) return verified;
  if (verified.value === undefined) return pass(false);
  if (store === undefined || head.value === undefined) return pass(true);
  const { size, root } = verified.value;
  if (root !== hashText(head.value.root)) return refuse('backup_refused', { what: `this ledger has ${from} others` });
  // rows are no part of the log: which are newer, these or those, nobody could say
  if (from > 0 && from === size) return pass(true);
  const restored = await store.restore(asForeign(pagesOf(backup, read.value, from)));
  return restored.ok ? pass(true) : restored;
}
