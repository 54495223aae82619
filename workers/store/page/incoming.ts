import { isCount, isObject } from '../../../core/json/value.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { FLUSH, openChain } from '../journal/journal.ts';
import type { Batch, Pages } from '../store.ts';
import { SYSTEM } from '../system-log.ts';
import { openDatabaseStore } from './database-store.ts';
import { DatabaseIndex } from './log-index.ts';
import { removeDatabase } from './open-database.ts';
import { type FileFolder, ignoreAbsent, mirrorRefusal, openRoot, privateFolder, removeScratch } from './opfs.ts';
import { type JournalFile, makeFile } from './private-file.ts';
import { removeWitness } from './witness.ts';

/** A log that is to take the place of a ledger, whole in a folder of its own beside the ledger. */
export interface IncomingLog {
  /** From now on the next opening of the ledger finds this log. The caller has closed the ledger, and is alone. */
  take(): Promise<Outcome<void>>;
  discard(): Promise<void>;
}

/**
 * What an opening found: no incoming log, a log that took the ledger's place, a log that was cut off before, or a log
 * that another kernel may be writing.
 */
export type FoundIncoming = 'none' | 'taken' | 'cut' | 'busy';

/** The mark that an incoming log is whole: its file, and the epoch whose folder takes the file. */
interface WholeMark {
  readonly file: string;
  readonly epoch: number;
}

const WHOLE = 'whole.json';

/** Writes all pages beside the ledger. An exception of `pages` is thrown, and leaves nothing behind. */
export async function writeIncoming(name: string, pages: Pages): Promise<Outcome<IncomingLog>> {
  let own: JournalFile | undefined;
  const discard = async (): Promise<void> => {
    own?.file.close();
    await removeIncoming(name);
  };
  const source = watchedPages(pages);
  try {
    await removeIncoming(name);
    const folder = await folderOf(name);
    const made = (own = await makeFile(folder));
    const epoch = await writePages(made, source.pages);
    await made.flush();
    made.file.close();
    const take = async (): Promise<Outcome<void>> => {
      try {
        await writeMark(folder, { file: made.name, epoch });
        await settleIncoming(name, async () => true);
        return pass(undefined);
      } catch (reason) {
        return mirrorRefusal(reason);
      }
    };
    return pass({ take, discard });
  } catch (reason) {
    await discard().catch(() => undefined);
    if (source.failed === reason) throw reason;
    return mirrorRefusal(reason);
  }
}

/**
 * Completes or removes an incoming log before the ledger is opened. A whole log takes the place of everything that the
 * ledger holds; each step may be repeated. A log that is not whole goes, unless another kernel may be writing it, and the
 * ledger is as it was.
 */
export async function settleIncoming(name: string, isAlone: () => Promise<boolean>): Promise<FoundIncoming> {
  const root = await openRoot();
  const found = await root?.getDirectoryHandle(incomingName(name)).catch(() => undefined);
  if (root === undefined || found === undefined) return 'none';
  const folder = privateFolder(found);
  const mark = await readMark(folder);
  if (mark === undefined && !(await isAlone())) return 'busy';
  if (mark !== undefined) await takePlace(root, name, found, mark);
  await removeIncoming(name);
  return mark === undefined ? 'cut' : 'taken';
}

/** Writes rows and batches, and returns the epoch of the log that they make. */
async function writePages(own: JournalFile, pages: Pages): Promise<number> {
  const chain = openChain(own.file, { whole: true, at: Date.now() });
  let [epoch, flushed, isChained] = [1, 0, true];
  for (let nth = 0, page = await pages(nth); page !== undefined; page = await pages(++nth)) {
    const { batches, tables } = page;
    if (isChained && batches.length === 0) {
      await chain.add(tables);
      continue;
    }
    if (isChained) await chain.end();
    isChained = false;
    if (tables.length > 0) own.write({ tables, at: Date.now() });
    for (const batch of batches) own.write({ batch, tables: [], at: Date.now() });
    epoch = Math.max(epoch, ...batches.map(epochIn));
    if (own.file.size() - flushed < FLUSH) continue;
    await own.flush();
    flushed = own.file.size();
  }
  if (isChained) await chain.end();
  return epoch;
}

/** The epoch that a batch of records about the log itself names. */
function epochIn({ run_id, records }: Batch): number {
  if (run_id !== SYSTEM) return 1;
  return Math.max(...records.map((text) => (JSON.parse(text) as LedgerRecord).epoch));
}

/** Puts the file of the incoming log in the place of the ledger's files, database and witness. */
async function takePlace(
  root: FileSystemDirectoryHandle,
  name: string,
  from: FileSystemDirectoryHandle,
  { file, epoch }: WholeMark,
): Promise<void> {
  const incoming = (await from.getFileHandle(file).catch(() => undefined)) as MovableFile | undefined;
  // a file that is gone stands in its place already
  if (incoming !== undefined) {
    await removeWitness(name);
    await removeDatabase(name);
    await root.removeEntry(mirrorName(name), { recursive: true }).catch(ignoreAbsent);
    await removeScratch(name);
    const mirror = await root.getDirectoryHandle(mirrorName(name), { create: true });
    await incoming.move(await mirror.getDirectoryHandle(`e${epoch}`, { create: true }), file);
  }
  const store = await openDatabaseStore(name);
  if (!store.ok) throw new DOMException(store.refusal.message, 'UnknownError');
  // an index that knows the file is behind it, and has lost nothing
  const noted = await new DatabaseIndex(store.value).setOffsets(new Map([[file, 0]]), 'strict');
  await store.value.close();
  if (!noted.ok) throw new DOMException(noted.refusal.message, 'UnknownError');
}

/** The part of the standard that some versions of `lib` lack. */
type MovableFile = FileSystemFileHandle & { move(folder: FileSystemDirectoryHandle, name: string): Promise<void> };

async function writeMark(folder: FileFolder, mark: WholeMark): Promise<void> {
  const file = await folder.open(WHOLE);
  if (file === undefined) throw new DOMException('The mark is open.', 'InvalidStateError');
  try {
    file.write(new TextEncoder().encode(JSON.stringify(mark)), 0);
    await file.flush();
  } finally {
    file.close();
  }
}

/** Undefined where the log is not whole: a torn mark was not flushed, so the ledger is still there. */
async function readMark(folder: FileFolder): Promise<WholeMark | undefined> {
  const text = await (await folder.blob(WHOLE))?.text();
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isObject(value) && typeof value['file'] === 'string' && isCount(value['epoch'])
      ? (value as unknown as WholeMark)
      : undefined;
  } catch {
    return undefined;
  }
}

async function removeIncoming(name: string): Promise<void> {
  const root = await openRoot();
  await root?.removeEntry(incomingName(name), { recursive: true }).catch(ignoreAbsent);
}

async function folderOf(name: string): Promise<FileFolder> {
  const root = await openRoot();
  if (root === undefined) throw new DOMException('There are no private files.', 'NotFoundError');
  return privateFolder(await root.getDirectoryHandle(incomingName(name), { create: true }));
}

/** Keeps an exception of the pages apart from an exception of the files. */
function watchedPages(pages: Pages): { readonly pages: Pages; readonly failed: unknown } {
  let failed: unknown;
  return {
    pages: (nth) =>
      pages(nth).catch((reason: unknown) => {
        failed = reason;
        throw reason;
      }),
    get failed() {
      return failed;
    },
  };
}

const incomingName = (name: string): string => `${name}.incoming`;
/** Folder of the private files of a ledger. */
export const mirrorName = (name: string): string => `${name}.mirror`;
