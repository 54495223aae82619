import { type Outcome, pass } from '../../../core/outcome.ts';
import type { SerialQueue } from '../../async.ts';
import type { BrowserStore } from '../idb/store.ts';
import { openChain } from '../journal/chain.ts';
import { batchName } from '../journal/compaction.ts';
import { PAGE } from '../paging.ts';
import { eachRows, inParts } from '../rows.ts';
import type { Batch, Pages } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import type { FileLog } from './file-log.ts';
import { INCOMPLETE } from './log-index.ts';
import { makeFile, type OwnFile } from './own-file.ts';
import { mirrorRefusal } from './refusal.ts';
import { scanFiles } from './scan.ts';

/** Bytes flushed at a time: a flush of all bytes would hold the thread for seconds. */
const FLUSH = 4 << 20;

/** Writes the log of the index from `from` on to a file, as far as `lacks` says, and returns its end. */
async function writeLog(
  store: BrowserStore,
  own: OwnFile,
  from: number,
  lacks: (batch: Batch) => boolean,
  { signal, tell }: { signal?: AbortSignal | undefined; tell?: (size: number) => void } = {},
): Promise<Outcome<number>> {
  let [at, flushed] = [from, own.file.size()];
  for (;;) {
    signal?.throwIfAborted();
    const page = await store.log(at, PAGE);
    if (!page.ok) return page;
    for (const batch of page.value) if (lacks(batch)) own.write({ batch, tables: [], at: Date.now() });
    if (own.file.size() - flushed > FLUSH) {
      await own.flush();
      flushed = own.file.size();
    }
    at = page.value.at(-1)?.after.log.size ?? at;
    if (page.value.length < PAGE) return pass(at);
    tell?.(at);
  }
}

/** Writes all rows of the index as the complete table contents. Later writes have a later time. */
async function writeRows(store: BrowserStore, own: OwnFile): Promise<Outcome<void>> {
  const chain = openChain(own.file, { whole: true, at: Date.now() });
  const all = await eachRows(store, async (rows) => {
    await chain.add(rows);
    return true;
  }).catch((reason: unknown) => {
    chain.undo();
    throw reason;
  });
  if (all.ok) await chain.end();
  else chain.undo();
  return all.ok ? pass(undefined) : all;
}

/**
 * Rewrites all files as a single file, from the index. No other kernel may have the ledger open. The old files stay
 * and are written until the new file is complete and flushed. An aborted signal leaves the old files alone.
 */
export async function renewFiles(
  log: FileLog,
  store: BrowserStore,
  inTurn: SerialQueue,
  signal?: AbortSignal,
): Promise<Outcome<void>> {
  let fresh: OwnFile | undefined;
  const abandon = async (): Promise<void> => {
    fresh?.file.close();
    if (fresh !== undefined) await log.folder.remove(fresh.name);
  };
  try {
    const made = (fresh = await makeFile(log.folder));
    const most = await writeLog(store, made, 0, () => true, { signal });
    const finish = async (from: number): Promise<Outcome<void>> => {
      signal?.throwIfAborted();
      const done = await log.exchange(() => finishRenewal(log, store, made, from));
      return done.ok ? removeOthers(log, made.name) : done;
    };
    const done = most.ok ? await inTurn(() => finish(most.value)) : most;
    if (!done.ok && log.own.name !== made.name) await abandon();
    return done;
  } catch (reason) {
    if (fresh !== undefined && log.own.name !== fresh.name) await abandon().catch(() => undefined);
    return mirrorRefusal(reason);
  }
}

async function finishRenewal(
  log: FileLog,
  store: BrowserStore,
  fresh: OwnFile,
  from: number,
): Promise<Outcome<OwnFile>> {
  const size = await writeLog(store, fresh, from, () => true);
  if (!size.ok) return size;
  const rows = await writeRows(store, fresh);
  if (!rows.ok) return rows;
  await fresh.flush();
  const set = await log.index.setOffsets(new Map([[fresh.name, fresh.file.size()]]), 'strict');
  if (!set.ok) return set;
  const noted = await log.index.setNoted(size.value);
  return noted.ok ? pass(fresh) : noted;
}

async function removeOthers(log: FileLog, mine: string): Promise<Outcome<void>> {
  const gone = (await log.folder.names()).filter((name) => name !== mine);
  for (const name of gone) await log.folder.remove(name);
  return log.index.setOffsets(new Map(gone.map((name) => [name, undefined])));
}

/** Options of a completion of the files. */
interface TopUpOptions {
  /** Receives the share of the log that is done, from 0 to 1. */
  readonly tell?: (share: number) => void;
  /** The offsets of files of an earlier epoch stay: its files may have to be read once more. */
  readonly keepsOffsets?: boolean;
}

/** Writes the batches and rows that the files lack into the file of this kernel. */
export async function topUp(
  log: FileLog,
  store: BrowserStore,
  { tell = () => undefined, keepsOffsets = false }: TopUpOptions = {},
): Promise<Outcome<void>> {
  try {
    const end = await store.frontier();
    if (!end.ok) return end;
    const { batches } = await scanFiles(log.folder, log.own);
    const lacks = (batch: Batch): boolean => !batches.has(batchName(batch));
    const size = await writeLog(store, log.own, 0, lacks, { tell: (at) => tell(at / end.value.size) });
    const rows = size.ok ? await writeRows(store, log.own) : size;
    if (!size.ok || !rows.ok) return rows.ok ? pass(undefined) : rows;
    await log.own.flush();
    return await settleOffsets(log, size.value, keepsOffsets);
  } catch (reason) {
    return mirrorRefusal(reason);
  }
}

/** The index has all content of all files; offsets of files that are gone go, unless they are kept. */
async function settleOffsets(log: FileLog, size: number, keepsOffsets: boolean): Promise<Outcome<void>> {
  const offsets = await log.index.offsets();
  if (!offsets.ok) return offsets;
  const names = new Set(await log.folder.names());
  const changes = new Map<string, number | undefined>([
    [log.own.name, log.own.file.size()],
    [INCOMPLETE, undefined],
  ]);
  for (const name of offsets.value.keys())
    if (!keepsOffsets && name.endsWith('.journal') && !names.has(name)) changes.set(name, undefined);
  const set = await log.index.setOffsets(changes, 'strict');
  return set.ok ? log.index.setNoted(size) : set;
}

/**
 * Appends pages to the index in a single transaction, and then to the file. A kernel that stops between them leaves a
 * mark, and the next opening tops the files up.
 */
export async function restorePages(log: FileLog, store: BrowserStore, pages: Pages): Promise<Outcome<void>> {
  const marked = await log.index.setOffsets(new Map([[INCOMPLETE, 1]]), 'strict');
  if (!marked.ok) return marked;
  const done = await store.restore(pages);
  return log.exchange(async (own) => {
    const filled = done.ok ? await topUp(log, store) : await log.index.setOffsets(new Map([[INCOMPLETE, undefined]]));
    const outcome = done.ok ? filled : done;
    return outcome.ok ? pass(own) : outcome;
  });
}

/** Writes many rows into a file of their own, and then into the index: appends do not wait for them. */
export async function putAside(
  log: FileLog,
  rows: Iterable<TableWrite>,
  put: () => Promise<Outcome<void>>,
): Promise<Outcome<void>> {
  let made: OwnFile | undefined;
  try {
    made = await makeFile(log.folder);
    const chain = openChain(made.file, { at: Date.now() });
    for (const part of inParts(rows)) await chain.add(part);
    await chain.end();
    const done = await put();
    if (!done.ok) return done;
    const [name, size] = [made.name, made.file.size()];
    made.file.close();
    made = undefined;
    return await log.index.setOffsets(new Map([[name, size]]));
  } catch (reason) {
    return mirrorRefusal(reason);
  } finally {
    made?.file.close();
    if (made !== undefined) await log.folder.remove(made.name).catch(() => undefined);
  }
}
