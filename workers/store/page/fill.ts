import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { weightOf } from '../journal/compaction.ts';
import { decodeBody, type Entry, type OrderNote } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import type { FramePlace } from '../journal/journal.ts';
import { bodiesIn, framesIn } from '../journal/journal.ts';
import { type PendingBatch, withoutPlace } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { FILLING } from './database.ts';
import type { LogIndex } from './log-index.ts';
import type { FileFolder } from './opfs.ts';
import {
  type Arrangement,
  type FoundBatch,
  type FoundContent,
  inWritingOrder,
  offsetsOf,
  type Placement,
  type Unplaced,
} from './places.ts';

/** Contents of the files behind their offsets. */
interface Tails {
  readonly contents: readonly FoundContent[];
  readonly notes: readonly OrderNote[];
  /** Ends of the files that were read, as far as their frames are whole. */
  readonly ends: ReadonlyMap<string, number>;
}

/** How often a file that changes under the reader is read again, and the wait before each attempt, in ms. */
const TRIES: readonly number[] = [0, 0, 0];
/** As `TRIES`, for a reader that cannot pass a file over. */
const ALL_TRIES: readonly number[] = [0, 0, 0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128];

/** Files to read, and how. */
interface TailOptions {
  readonly offsets: ReadonlyMap<string, number>;
  /** Own file, which this kernel has in memory. */
  readonly except?: string | undefined;
  /** No file may be passed over because its writer is busy. */
  readonly all: boolean;
  /** Records of each run that the index has: batches before them are skipped. */
  readonly records: ReadonlyMap<string, number>;
  /** Bytes of content that are kept while reading. The rest is read again when it is placed. */
  readonly keep: number;
}

/** Reads the files of a folder behind their offsets, and the log of the index that they continue. */
export async function readBehind(
  folder: FileFolder,
  index: Pick<LogIndex, 'records' | 'frontier'>,
  options: Omit<TailOptions, 'records'>,
): Promise<Outcome<Tails & { readonly log: Frontier }>> {
  const isGrown = options.offsets.has(FILLING) || (await hasGrown(folder, options));
  // for the counts, the index reads a row of each run that it has
  const records = isGrown ? await index.records() : pass(new Map<string, number>());
  if (!records.ok) return records;
  const tails = isGrown ? await readTails(folder, { ...options, records: records.value }) : NO_TAILS;
  // behind the files: a kernel notes what the index has, so a note that was read is in the index by now
  const log = await index.frontier();
  return log.ok ? pass({ ...tails, log: log.value }) : log;
}

const NO_TAILS: Tails = { contents: [], notes: [], ends: new Map() };

/** True if a file is longer than its offset. */
async function hasGrown(
  folder: FileFolder,
  { offsets, except }: Pick<TailOptions, 'offsets' | 'except'>,
): Promise<boolean> {
  for (const name of await folder.names()) {
    const blob = name === except ? undefined : await folder.blob(name);
    if (blob !== undefined && blob.size > (offsets.get(name) ?? 0)) return true;
  }
  return false;
}

/** Reads the files of a folder behind their offsets. A file that its writer changes meanwhile may be passed over. */
async function readTails(folder: FileFolder, options: TailOptions): Promise<Tails> {
  const contents: FoundContent[] = [];
  const notes: OrderNote[] = [];
  const ends = new Map<string, number>();
  let { keep } = options;
  for (const name of await folder.names()) {
    if (name === options.except) continue;
    const tail = await readAgain(options.all ? ALL_TRIES : TRIES, () => readTail(folder, name, { ...options, keep }));
    if (tail === undefined) {
      if (options.all) throw new DOMException('A file is being written.', 'NotReadableError');
      continue;
    }
    contents.push(...tail.contents);
    notes.push(...tail.notes);
    ends.set(name, tail.end);
    keep -= tail.kept;
  }
  return { contents, notes, ends };
}

type Tail = Pick<Tails, 'contents' | 'notes'> & { readonly end: number; readonly kept: number };

/** Undefined where each attempt met a file that was changed since the attempt began, as Chromium tells. */
async function readAgain(waits: readonly number[], read: () => Promise<Tail>): Promise<Tail | undefined> {
  for (const wait of waits) {
    try {
      if (wait > 0) await new Promise((next) => setTimeout(next, wait));
      return await read();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'NotReadableError')) throw error;
    }
  }
  return undefined;
}

async function readTail(folder: FileFolder, name: string, { offsets, records, keep }: TailOptions): Promise<Tail> {
  const [contents, notes]: [FoundContent[], OrderNote[]] = [[], []];
  const blob = await folder.blob(name);
  const offset = offsets.get(name) ?? 0;
  // a file that is shorter than its offset has lost its end
  if (blob === undefined || blob.size <= offset) return { contents, notes, end: blob?.size ?? 0, kept: 0 };
  const isFilling = offsets.has(FILLING);
  let kept = 0;
  const found = framesIn(blob.slice(offset));
  let bound: FrameEntry[] = [];
  let next = await found.next();
  for (; next.done !== true; next = await found.next()) {
    const { at, length, header, body } = next.value;
    const place = { at: offset + at, length };
    if (!hasContents(header.state)) {
      // the rows of an erased batch stay
      if (bound.length > 0) contents.push(contentOf(name, bound, true));
      bound = [];
      continue;
    }
    const entry = decodeBody(body, header.state);
    if (entry.note !== undefined) notes.push(entry.note);
    kept += length;
    bound.push(frameEntry(place, entry, kept <= keep));
    if (header.state === 'bound') continue;
    const batch = bound.at(-1)?.batch;
    const isSeen = batch !== undefined && !entry.less && batch.run_seq < (records.get(batch.run_id) ?? 0);
    if (!isSeen) contents.push(contentOf(name, bound, true));
    // the rows of a fill that was cut come behind its batches
    else if (isFilling && bound.some(({ hasRows }) => hasRows)) contents.push(contentOf(name, bound, false));
    bound = [];
  }
  return { contents, notes, end: offset + next.value, kept };
}

interface FrameEntry {
  readonly place: FramePlace;
  readonly entry: Omit<Entry, 'batch' | 'pending' | 'tables'>;
  readonly batch: FoundBatch | undefined;
  readonly seq: number | undefined;
  readonly hasRows: boolean;
  /** Absent where the frame is read again. */
  readonly parts: Pick<Unplaced, 'batch' | 'tables'> | undefined;
}

function frameEntry(
  place: FramePlace,
  { batch: placed, pending, tables, ...entry }: Entry,
  isKept: boolean,
): FrameEntry {
  const batch = placed === undefined ? pending : withoutPlace(placed);
  return {
    place,
    entry,
    batch: batch && tailBatch(batch),
    seq: placed?.seq,
    hasRows: tables.length > 0,
    parts: isKept ? { ...(batch && { batch }), tables } : undefined,
  };
}

/** Content of a frame and of the frames bound to it, with its batch or only its rows. */
function contentOf(file: string, found: readonly FrameEntry[], withBatch: boolean): FoundContent {
  const frames = found.map(({ place }) => place);
  const { at, length } = frames.at(-1) ?? { at: 0, length: 0 };
  const { entry, batch, seq } = found.at(-1) ?? {};
  const marks = {
    file,
    end: at + length,
    at: entry?.at ?? 0,
    ...(withBatch && entry?.less && { less: true as const }),
    ...(found.some((each) => each.entry.whole) && { whole: true as const }),
  };
  const parts = found.flatMap((each) => each.parts ?? []);
  const kept = withBatch ? parts.at(-1)?.batch : undefined;
  const content = { ...marks, ...(kept && { batch: kept }), tables: parts.flatMap(({ tables }) => tables) };
  return {
    ...marks,
    ...(withBatch && batch !== undefined && { batch, seq }),
    hasRows: found.some(({ hasRows }) => hasRows),
    frames,
    ...(parts.length === found.length && { content }),
  };
}

function tailBatch(batch: PendingBatch): FoundBatch {
  const { run_id, run_seq, run } = batch;
  return { run_id, run_seq, records: run.records, weight: weightOf(batch) };
}

function pendingIn({ batch, pending }: Pick<Entry, 'batch' | 'pending'>): PendingBatch | undefined {
  return batch === undefined ? pending : withoutPlace(batch);
}

/** Bytes of the files that enter the index at once, and that a reader keeps. */
export const PAGE_BYTES: number = 4 << 20;

/** Frame of a private file. */
interface FileFrame extends FramePlace {
  readonly file: string;
}

/** Options of a fill. */
interface FillOptions {
  readonly pageBytes?: number;
  /** Receives the share of a fill page by page that is done, from 0 to 1. */
  readonly tell?: (share: number) => void;
}

/**
 * Takes content of files into an index: at once where it fits into one page, and page by page otherwise. A fill that is
 * cut begins again, and skips the batches that it has placed.
 */
export class IndexFill {
  private readonly folder: FileFolder;
  private readonly index: LogIndex;
  private readonly pageBytes: number;
  private readonly tell: (share: number) => void;
  private readonly readers = new Map<string, (place: FramePlace) => Promise<Uint8Array>>();
  private readonly taken = new Set<FoundContent>();
  private readonly left = new Set<FoundContent>();
  /** Bytes to place, and bytes placed. */
  private total = 0;
  private done = 0;

  constructor(
    folder: FileFolder,
    index: LogIndex,
    { pageBytes = PAGE_BYTES, tell = () => undefined }: FillOptions = {},
  ) {
    this.folder = folder;
    this.index = index;
    this.pageBytes = pageBytes;
    this.tell = tell;
  }

  /** Takes arranged content in, and then raises the offsets to the ends of the files. */
  take({ contents }: Arrangement, ends: readonly Unplaced[], isCut: boolean): Promise<Outcome<Placement>> {
    const isSmall = !isCut && contents.every(isLoaded);
    return isSmall ? this.place([...contents.flatMap(loaded), ...ends]) : this.fill(contents, ends);
  }

  /** Places batches, then rows, and raises the offsets of the files at last. */
  private async fill(contents: readonly FoundContent[], ends: readonly Unplaced[]): Promise<Outcome<Placement>> {
    const [batches, rows] = [
      contents.filter(({ batch }) => batch !== undefined),
      contents.filter(({ hasRows }) => hasRows),
    ];
    this.total = [...batches, ...rows].reduce((sum, each) => sum + bytesOf(each), 0);
    const marked = await this.index.setOffsets(new Map([[FILLING, 1]]));
    if (!marked.ok) return marked;
    const inLog = await this.placeBatches(batches);
    const inTables = inLog.ok ? await this.placeRows(contents) : inLog;
    if (!inTables.ok) return inTables;
    const offsets = offsetsOf([...contents, ...ends], this.left);
    const placed = await this.place([...offsets].map(([file, end]) => ({ file, end, tables: [], at: 0 })));
    const cleared = placed.ok ? await this.index.setOffsets(new Map([[FILLING, undefined]])) : placed;
    return cleared.ok ? placed : cleared;
  }

  private place(waiting: readonly Unplaced[]): Promise<Outcome<Placement>> {
    return this.index.place(waiting, { durability: 'relaxed', floor: 0 });
  }

  private async placeBatches(contents: readonly FoundContent[]): Promise<Outcome<void>> {
    for (const { items: page, bytes } of pagesOf(contents, bytesOf, this.pageBytes)) {
      const waiting: Unplaced[] = [];
      for (const each of page) waiting.push(await this.batchOf(each));
      const placed = await this.place(waiting);
      if (!placed.ok) return placed;
      const taken = new Set(placed.value.taken);
      for (const [nth, each] of page.entries()) {
        const content = waiting[nth] as Unplaced;
        if (taken.has(content)) this.taken.add(each);
        if (placed.value.left.has(content)) this.left.add(each);
      }
      this.tellDone(bytes);
    }
    return pass(undefined);
  }

  /** The rows of all placed contents, by the time of writing; rows before the last complete contents are void. */
  private async placeRows(contents: readonly FoundContent[]): Promise<Outcome<void>> {
    const counted = contents.filter(
      (each) => (each.batch === undefined || this.taken.has(each)) && (each.hasRows || each.whole),
    );
    const inTime = inWritingOrder(counted.map((each) => each.rowsIn ?? each));
    const start = Math.max(
      0,
      inTime.findLastIndex(({ whole }) => whole),
    );
    let { whole } = inTime[start] ?? {};
    const frames = inTime.slice(start).flatMap(framesOf);
    for (const { items: page, bytes } of pagesOf(frames, ({ length }) => length, this.pageBytes)) {
      const tables: TableWrite[] = [];
      for (const frame of page) tables.push(...(await this.read(frame)).tables);
      const rows: Unplaced = { file: '', end: 0, at: 0, isPart: true, tables, ...(whole && { whole }) };
      const placed = await this.place([rows]);
      if (!placed.ok) return placed;
      whole = undefined;
      this.tellDone(bytes);
    }
    return pass(undefined);
  }

  /** A frame with a batch and rows is read twice. */
  private tellDone(bytes: number): void {
    this.done += bytes;
    this.tell(Math.min(1, this.done / this.total));
  }

  private async batchOf({ file, end, at, less, content, frames }: FoundContent): Promise<Unplaced> {
    const last = frames.at(-1);
    const batch = content?.batch ?? (last && pendingIn(await this.read({ file, ...last })));
    return { file, end, at, ...(less && { less }), ...(batch && { batch }), tables: [], isPart: true };
  }

  /** Reads a frame. A file that its writer has changed since is opened again. */
  private async read({ file, ...place }: FileFrame): Promise<Entry> {
    const reader = this.readers.get(file);
    const body = await reader?.(place).catch(() => undefined);
    return decodeBody(body ?? (await (await this.open(file))(place)));
  }

  private async open(file: string): Promise<(place: FramePlace) => Promise<Uint8Array>> {
    const blob = await this.folder.blob(file);
    if (blob === undefined) throw new DOMException('A file is gone.', 'NotFoundError');
    const reader = bodiesIn(blob);
    this.readers.set(file, reader);
    return reader;
  }
}

function isLoaded({ content, rowsIn }: FoundContent): boolean {
  return content !== undefined && (rowsIn === undefined || isLoaded(rowsIn));
}

/** Content that was kept while it was read, with the rows that count. */
function loaded({ at, content, rowsIn }: FoundContent): Unplaced[] {
  return content === undefined ? [] : [{ ...content, at, tables: (rowsIn?.content ?? content).tables }];
}

function framesOf({ file, frames }: Pick<FoundContent, 'file' | 'frames'>): readonly FileFrame[] {
  return frames.map((place) => ({ file, ...place }));
}

function bytesOf({ frames }: FoundContent): number {
  return frames.reduce((sum, { length }) => sum + length, 0);
}

interface Page<T> {
  readonly items: readonly T[];
  readonly bytes: number;
}

/** Pages of about this many bytes. */
function* pagesOf<T>(all: readonly T[], bytesIn: (item: T) => number, limit: number): Generator<Page<T>> {
  let items: T[] = [];
  let bytes = 0;
  for (const item of all) {
    items.push(item);
    bytes += bytesIn(item);
    if (bytes < limit) continue;
    yield { items, bytes };
    [items, bytes] = [[], 0];
  }
  if (items.length > 0) yield { items, bytes };
}
