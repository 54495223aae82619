import { type Outcome, pass } from '../../../core/outcome.ts';
import { bodiesIn } from '../journal/blob.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import type { FramePlace } from '../journal/journal.ts';
import type { TableWrite } from '../tables.ts';
import type { Arrangement } from './arrange.ts';
import type { FileFolder } from './folder.ts';
import { FILLING, type LogIndex } from './log-index.ts';
import { type IndexPlan, offsetsOf, type Waiting } from './plan.ts';
import { pendingIn, type TailContent } from './tails.ts';

/** Bytes of the files that enter the index at once, and that a reader keeps. */
export const PAGE_BYTES: number = 4 << 20;

/** Frame of a private file. */
interface FileFrame extends FramePlace {
  readonly file: string;
}

/**
 * Takes content of files into an index: at once where it fits into one page, and page by page otherwise. A fill that is
 * cut begins again, and skips the batches that it has placed.
 */
export class IndexFill {
  private readonly folder: FileFolder;
  private readonly index: LogIndex;
  private readonly pageBytes: number;
  private readonly readers = new Map<string, (place: FramePlace) => Promise<Uint8Array>>();
  private readonly taken = new Set<TailContent>();
  private readonly left = new Set<TailContent>();

  constructor(folder: FileFolder, index: LogIndex, pageBytes: number = PAGE_BYTES) {
    this.folder = folder;
    this.index = index;
    this.pageBytes = pageBytes;
  }

  /** Takes arranged content in, and then raises the offsets to the ends of the files. */
  take({ contents }: Arrangement, ends: readonly Waiting[], isCut: boolean): Promise<Outcome<IndexPlan>> {
    const isSmall = !isCut && contents.every(isLoaded);
    return isSmall ? this.place([...contents.map(loaded), ...ends]) : this.fill(contents, ends);
  }

  /** Places batches, then rows, and raises the offsets of the files at last. */
  private async fill(contents: readonly TailContent[], ends: readonly Waiting[]): Promise<Outcome<IndexPlan>> {
    const marked = await this.index.setOffsets(new Map([[FILLING, 1]]));
    if (!marked.ok) return marked;
    const batches = await this.placeBatches(contents.filter(({ batch }) => batch !== undefined));
    const rows = batches.ok ? await this.placeRows(contents) : batches;
    if (!rows.ok) return rows;
    const offsets = offsetsOf([...contents, ...ends], this.left);
    const placed = await this.place([...offsets].map(([file, end]) => ({ file, end, tables: [], at: 0 })));
    const cleared = placed.ok ? await this.index.setOffsets(new Map([[FILLING, undefined]])) : placed;
    return cleared.ok ? placed : cleared;
  }

  private place(waiting: readonly Waiting[]): Promise<Outcome<IndexPlan>> {
    return this.index.place(waiting, { durability: 'relaxed', floor: 0 });
  }

  private async placeBatches(contents: readonly TailContent[]): Promise<Outcome<void>> {
    for (const page of pagesOf(contents, bytesOf, this.pageBytes)) {
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
    }
    return pass(undefined);
  }

  /** The rows of all placed contents, by the time of writing; rows before the last complete contents are void. */
  private async placeRows(contents: readonly TailContent[]): Promise<Outcome<void>> {
    const counted = contents.filter(
      (each) => (each.batch === undefined || this.taken.has(each)) && (each.hasRows || each.whole),
    );
    const inTime = counted.toSorted(new Set(counted.map(({ file }) => file)).size > 1 ? byTime : byEnd);
    const start = Math.max(
      0,
      inTime.findLastIndex(({ whole }) => whole),
    );
    let { whole } = inTime[start] ?? {};
    const frames = inTime.slice(start).flatMap(({ rowsIn, ...each }) => framesOf(rowsIn ?? each));
    for (const page of pagesOf(frames, ({ length }) => length, this.pageBytes)) {
      const tables: TableWrite[] = [];
      for (const frame of page) tables.push(...(await this.read(frame)).tables);
      const rows: Waiting = { file: '', end: 0, at: 0, isPart: true, tables, ...(whole && { whole }) };
      const placed = await this.place([rows]);
      if (!placed.ok) return placed;
      whole = undefined;
    }
    return pass(undefined);
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

function byEnd(one: TailContent, other: TailContent): number {
  return one.end - other.end;
}

/** Rows that are the complete contents come before rows of the same time. */
function byTime(one: TailContent, other: TailContent): number {
  return one.at - other.at || (one.whole ? 0 : 1) - (other.whole ? 0 : 1) || byEnd(one, other);
}

/** Pages of about this many bytes. */
function* pagesOf<T>(items: readonly T[], bytes: (item: T) => number, limit: number): Generator<readonly T[]> {
  let page: T[] = [];
  let size = 0;
  for (const item of items) {
    page.push(item);
    size += bytes(item);
    if (size < limit) continue;
    yield page;
    [page, size] = [[], 0];
  }
  if (page.length > 0) yield page;
}
