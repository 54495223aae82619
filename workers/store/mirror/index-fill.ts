import { type Outcome, pass } from '../../../core/outcome.ts';
import { bodiesIn } from '../journal/blob.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import type { FramePlace } from '../journal/journal.ts';
import type { TableWrite } from '../tables.ts';
import type { Arrangement } from './arrange.ts';
import type { FileFolder } from './folder.ts';
import { FILLING, type LogIndex } from './log-index.ts';
import { type IndexPlan, offsetsOf } from './plan.ts';
import { pendingIn, type TailContent } from './tails.ts';
import type { Waiting } from './waiting.ts';
import { inWritingOrder } from './writing-order.ts';

/** Bytes of the files that enter the index at once, and that a reader keeps. */
export const PAGE_BYTES: number = 4 << 20;

/** Frame of a private file. */
interface FileFrame extends FramePlace {
  readonly file: string;
}

/** Options of a fill. */
export interface FillOptions {
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
  private readonly taken = new Set<TailContent>();
  private readonly left = new Set<TailContent>();
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
  take({ contents }: Arrangement, ends: readonly Waiting[], isCut: boolean): Promise<Outcome<IndexPlan>> {
    const isSmall = !isCut && contents.every(isLoaded);
    return isSmall ? this.place([...contents.map(loaded), ...ends]) : this.fill(contents, ends);
  }

  /** Places batches, then rows, and raises the offsets of the files at last. */
  private async fill(contents: readonly TailContent[], ends: readonly Waiting[]): Promise<Outcome<IndexPlan>> {
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

  private place(waiting: readonly Waiting[]): Promise<Outcome<IndexPlan>> {
    return this.index.place(waiting, { durability: 'relaxed', floor: 0 });
  }

  private async placeBatches(contents: readonly TailContent[]): Promise<Outcome<void>> {
    for (const { items: page, bytes } of pagesOf(contents, bytesOf, this.pageBytes)) {
      const waiting: Waiting[] = [];
      for (const each of page) waiting.push(await this.batchOf(each));
      const placed = await this.place(waiting);
      if (!placed.ok) return placed;
      const taken = new Set(placed.value.taken);
      for (const [nth, each] of page.entries()) {
        const content = waiting[nth] as Waiting;
        if (taken.has(content)) this.taken.add(each);
        if (placed.value.left.has(content)) this.left.add(each);
      }
      this.tellDone(bytes);
    }
    return pass(undefined);
  }

  /** The rows of all placed contents, by the time of writing; rows before the last complete contents are void. */
  private async placeRows(contents: readonly TailContent[]): Promise<Outcome<void>> {
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
      const rows: Waiting = { file: '', end: 0, at: 0, isPart: true, tables, ...(whole && { whole }) };
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

  private async batchOf({ file, end, at, less, content, frames }: TailContent): Promise<Waiting> {
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

function isLoaded({ content, rowsIn }: TailContent): boolean {
  return content !== undefined && (rowsIn === undefined || isLoaded(rowsIn));
}

/** A content that was kept while it was read. */
function loaded({ file, end, at, less, whole, content, rowsIn }: TailContent): Waiting {
  const tables = (rowsIn ?? { content }).content?.tables ?? [];
  const marks = { ...(less && { less }), ...(whole && { whole }) };
  return { file, end, at, ...marks, ...(content?.batch && { batch: content.batch }), tables };
}

function framesOf({ file, frames }: Pick<TailContent, 'file' | 'frames'>): readonly FileFrame[] {
  return frames.map((place) => ({ file, ...place }));
}

function bytesOf({ frames }: TailContent): number {
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
