import { type Outcome, pass } from '../../../core/outcome.ts';
import type { SerialQueue } from '../../async.ts';
import { makePace, makeWaiters, pause, type Waiters, within } from '../../async.ts';
import { batchName, makeFrameUsage, needsCompaction, weightOf } from '../journal/compaction.ts';
import { batchIn, decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { type ByteFile, FLUSH, type FrameAt, frames, framesIn, openChain, wipe } from '../journal/journal.ts';
import { PAGE } from '../paging.ts';
import { eachRows, inParts } from '../rows.ts';
import type { Batch, Pages } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { INCOMPLETE } from './database.ts';
import type { DatabaseStore } from './database-store.ts';
import type { FileLog } from './file-log.ts';
import { type FileFolder, mirrorRefusal } from './opfs.ts';
import { type JournalFile, makeFile } from './private-file.ts';

/** Writes the log of the index from `from` on to a file, as far as `lacks` says, and returns its end. */
async function writeLog(
  store: DatabaseStore,
  own: JournalFile,
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
async function writeRows(store: DatabaseStore, own: JournalFile): Promise<Outcome<void>> {
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
  store: DatabaseStore,
  inTurn: SerialQueue,
  signal?: AbortSignal,
): Promise<Outcome<void>> {
  let fresh: JournalFile | undefined;
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
  store: DatabaseStore,
  fresh: JournalFile,
  from: number,
): Promise<Outcome<JournalFile>> {
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
  store: DatabaseStore,
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
export async function restorePages(log: FileLog, store: DatabaseStore, pages: Pages): Promise<Outcome<void>> {
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
  let made: JournalFile | undefined;
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

/** Contents of all files of a folder. */
interface FileScan {
  /** Names of all batches. */
  readonly batches: ReadonlySet<string>;
  /** Much is garbage, or a removed row is still there: the files should be rewritten. */
  readonly due: boolean;
  /** Two files hold different amounts of the same batch, or an erasure of a frame was cut off. */
  readonly uneven: boolean;
  /** True for an entry with more content than another copy of its batch. */
  isStale(entry: Entry): boolean;
}

/** Reads all files of a folder, and rests between pieces for other work. An aborted signal throws. */
export async function scanFiles(
  folder: FileFolder,
  own: JournalFile,
  { signal, rest = pause }: { readonly signal?: AbortSignal; readonly rest?: () => Promise<void> } = {},
): Promise<FileScan> {
  const usage = makeFrameUsage();
  const weights = new Map<string, number>();
  let [size, uneven] = [0, false];
  const isDue = makePace();
  const look = ({ header, body, length }: FrameAt): void => {
    uneven ||= header.state === 'wiping';
    if (!hasContents(header.state)) return;
    const entry = decodeBody(body, header.state, 'viewed');
    usage.note(entry, length);
    const batch = batchIn(entry);
    if (batch === undefined) return;
    const weight = weightOf(batch);
    const other = weights.get(batchName(batch)) ?? weight;
    uneven ||= weight !== other;
    weights.set(batchName(batch), Math.min(weight, other));
  };
  const lookAt = async (found: AsyncIterable<FrameAt> | Iterable<FrameAt>): Promise<void> => {
    for await (const frame of found) {
      look(frame);
      if (!isDue(frame.length)) continue;
      await rest();
      signal?.throwIfAborted();
    }
  };
  for (const name of await folder.names()) {
    const blob = name === own.name ? undefined : await folder.blob(name);
    size += blob?.size ?? own.file.size();
    if (blob === undefined) await lookAt(frames(own.file));
    // another kernel may be writing its file
    else await lookAt(framesIn(blob)).catch(ignoreUnreadable);
    signal?.throwIfAborted();
  }
  return {
    batches: new Set(weights.keys()),
    get due() {
      return needsCompaction(usage, size);
    },
    uneven,
    isStale: (entry) => {
      const held = batchIn(entry);
      return held !== undefined && weightOf(held) > (weights.get(batchName(held)) ?? 0);
    },
  };
}

function ignoreUnreadable(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NotReadableError')) throw reason;
}

/** Erases entries in the file of this kernel and in every file without a writer. */
export async function wipeFiles(
  folder: FileFolder,
  own: JournalFile | undefined,
  goes: (entry: Entry) => boolean,
): Promise<void> {
  if (own !== undefined) wipeWhere(own.file, goes);
  for (const name of await folder.names()) {
    if (name === own?.name) continue;
    const file = await folder.open(name);
    if (file === undefined) continue;
    wipeWhere(file, goes);
    file.close();
  }
}

function wipeWhere(file: ByteFile, goes: (entry: Entry) => boolean): void {
  for (const { at, header, body } of frames(file)) {
    const isCut = header.state === 'wiping';
    if (isCut || (hasContents(header.state) && goes(decodeBody(body, header.state, 'viewed'))))
      wipe(file, { at, header });
  }
}

/**
 * A rewrite of the copy while the ledger is in use: a single rewrite at a time, page by page, aborted as soon as a
 * caller needs the copy. An aborted rewrite leaves the old copy as it was; the next opening begins again.
 */
export class Renewal {
  #end: AbortController | undefined;
  #over: Promise<unknown> = Promise.resolve();

  begin(renew: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#end !== undefined) return;
    const end = new AbortController();
    this.#end = end;
    this.#over = renew(end.signal)
      .catch(() => undefined)
      .finally(() => {
        this.#end = undefined;
      });
  }

  /** Aborts the rewrite, and returns when it has ended. */
  async stop(): Promise<void> {
    this.#end?.abort();
    await this.#over;
  }
}

/** ms that a piece of other work waits for readers at most. */
const REST_MS = 250;

/**
 * Reads of callers that are under way. Work on all files goes on between them: a list of 2,000 runs is read by as many
 * requests, and each would wait for a piece of that work.
 */
export class Readers {
  private reading = 0;
  private readonly waiting: Waiters<void> = makeWaiters();

  async count<T>(read: () => Promise<T>): Promise<T> {
    this.reading++;
    try {
      return await read();
    } finally {
      if (--this.reading === 0) this.waiting.settle();
    }
  }

  /** Lets others go first. */
  async rest(): Promise<void> {
    await pause();
    if (this.reading > 0) await within(this.waiting.wait(), REST_MS);
  }
}
