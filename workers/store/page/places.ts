import { hashText, isHash } from '../../../core/hash.ts';
import { NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { batchName } from '../journal/compaction.ts';
import type { BatchOrder, OrderNote } from '../journal/frame.ts';
import type { FramePlace } from '../journal/journal.ts';
import { isNamed, linkedHashes } from '../restorable.ts';
import { type Batch, EMPTY_LOG, leavesOf, type PendingBatch, placeBatch } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import type { StoredEnds } from './database.ts';

/**
 * Records and rows in a private file that have no place in the log yet. The index gives the batch its place, and makes a
 * `Batch` of it.
 */
export interface Unplaced {
  readonly file: string;
  /** Offset in the file behind this content. */
  readonly end: number;
  readonly batch?: PendingBatch;
  /** Hashes of the batch's records, and of the record before them. A batch of another kernel has none: it is verified. */
  readonly links?: { readonly prev: string; readonly hashes: readonly string[] };
  /** The batch is the remainder of an erased batch, which it replaces. */
  readonly less?: true | undefined;
  readonly tables: readonly TableWrite[];
  /** The rows are the complete table contents. */
  readonly whole?: true;
  /** Time of the write, in ms. */
  readonly at: number;
  /** Content of a fill page by page: the offset of its file stays until the fill is complete. */
  readonly isPart?: true;
}

/** Unplaced content that was found in a file: where its frames are, and what decides its place in the log. */
export interface FoundContent extends Pick<Unplaced, 'file' | 'end' | 'at' | 'less' | 'whole'> {
  readonly batch?: FoundBatch;
  /** Place that the batch once had in the log. */
  readonly seq?: number | undefined;
  readonly hasRows: boolean;
  /** The batch of another file counts, and the rows of this content. */
  readonly rowsIn?: FoundContent;
  readonly frames: readonly FramePlace[];
  /** The content itself, while little was read. The rest is read again when it is placed. */
  readonly content?: Unplaced;
}

/** What decides the place of a batch. */
export interface FoundBatch {
  readonly run_id: string;
  readonly run_seq: number;
  /** Records of the run behind the batch. */
  readonly records: number;
  readonly weight: number;
}

/** Ends of the log and of the runs, as the index has them. */
interface IndexEnds extends StoredEnds {
  /** Head of the run behind a batch of the index, for batches that this kernel wrote and that are not at the end. */
  readonly heads: ReadonlyMap<PendingBatch, string>;
}

/** Unplaced content with its place in the log: the changes of the index that take it in. */
export interface Placement {
  readonly log: Frontier;
  readonly batches: readonly Batch[];
  readonly order: BatchOrder;
  /** Remainders of erased batches, which replace the batches in the index. */
  readonly less: readonly PendingBatch[];
  readonly rows: readonly TableWrite[];
  /** All tables are emptied before the rows are written. */
  readonly clears: boolean;
  /** For each file, the offset up to which the index has its content. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Runs with a batch that contradicts the batch in the index. */
  readonly forked: ReadonlySet<string>;
  /** Content that enters the index now. */
  readonly taken: readonly Unplaced[];
  /** Batches behind a gap of their run. */
  readonly left: ReadonlySet<Unplaced>;
}

/** Plans how unplaced content enters the index, in the given order; a batch whose predecessor is absent stays out. */
export function planPlaces(ends: IndexEnds, waiting: readonly Unplaced[]): Placement {
  const { batches, less, taken, left, forked } = placeEach(ends, waiting);
  const hasRows = taken.some(({ tables, whole }) => whole || tables.length > 0);
  const inTime = hasRows ? inWritingOrder(taken) : [];
  const start = inTime.findLastIndex(({ whole }) => whole);
  return {
    log: batches.at(-1)?.after.log ?? ends.log,
    batches,
    order: batches.map(({ run_id, run_seq, after }) => [run_id, run_seq, after.run.records - run_seq] as const),
    less,
    rows: inTime.slice(Math.max(0, start)).flatMap(({ tables }) => tables),
    clears: start >= 0,
    offsets: offsetsOf(waiting, left),
    forked,
    taken,
    left,
  };
}

type Places = Pick<Placement, 'batches' | 'less' | 'forked' | 'taken' | 'left'>;

function placeEach({ log: from, runs, heads }: IndexEnds, waiting: readonly Unplaced[]): Places {
  const ends = new Map<string, RunHead>();
  const [forked, left] = [new Set<string>(), new Set<Unplaced>()];
  const [batches, less, taken]: [Batch[], PendingBatch[], Unplaced[]] = [[], [], []];
  let log = from;
  for (const each of waiting) {
    const { batch } = each;
    const end = (batch && (ends.get(batch.run_id) ?? runs.get(batch.run_id))) ?? NO_RECORDS;
    if (batch === undefined) taken.push(each);
    else if (each.less && batch.run_seq < end.records) {
      less.push(batch);
      taken.push(each);
    } else if (batch.run_seq < end.records) {
      if (heads.has(batch) && heads.get(batch) !== batch.run.head) forked.add(batch.run_id);
    } else if (batch.run_seq > end.records) {
      if (!forked.has(batch.run_id)) left.add(each);
    } else {
      const hashes = hashesBehind(each, end);
      if (hashes === undefined) forked.add(batch.run_id);
      else {
        const placed = placeBatch(withNamed(batch, each), log, leavesOf(hashes));
        log = placed.after.log;
        batches.push(placed);
        ends.set(batch.run_id, batch.run);
        taken.push(each);
      }
    }
  }
  return { batches, less, taken, left, forked };
}

/** Hashes of a batch that continues a run; undefined where it does not. */
function hashesBehind({ batch, links }: Unplaced, end: RunHead): readonly string[] | undefined {
  if (links !== undefined) return links.prev === end.head ? links.hashes : undefined;
  if (batch === undefined) return undefined;
  const hashes = batch.gone ?? linkedHashes(batch, end);
  const isRight = hashes?.every(isHash) && hashes.length > 0 && hashes.at(-1) === batch.run.head;
  return isRight && batch.run.records === end.records + hashes.length ? hashes : undefined;
}

/** The batch without payloads that do not match their hash; a batch of this kernel has none. */
function withNamed(batch: PendingBatch, { links }: Unplaced): PendingBatch {
  if (links !== undefined) return batch;
  return { ...batch, payloads: batch.payloads.filter((each) => isNamed(each, batch)) };
}

/** Ends before the first content that stays out, so that it is read again. */
export function offsetsOf<T extends Pick<Unplaced, 'file' | 'end' | 'isPart'>>(
  waiting: readonly T[],
  left: ReadonlySet<unknown>,
): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const stopped = new Set<string>();
  for (const each of waiting.toSorted((one, other) => one.end - other.end)) {
    if (each.isPart) continue;
    if (left.has(each)) stopped.add(each.file);
    if (!stopped.has(each.file)) offsets.set(each.file, each.end);
  }
  return offsets;
}

type Written = Pick<Unplaced, 'file' | 'end' | 'at' | 'whole'>;

/**
 * Orders content by its writing: content of a file by its place there, whatever the clock said, and files by the time.
 * Complete table contents come before content that another file got at the same time.
 */
export function inWritingOrder<T extends Written>(contents: readonly T[]): readonly T[] {
  const times = new Map<string, number>();
  const timeIn = ({ file, at, whole }: T): number => {
    const before = times.get(file) ?? 0;
    // half a millisecond: complete contents void what their file got in the same millisecond before
    const time = whole && at <= before ? before + 0.5 : Math.max(at, before);
    times.set(file, time);
    return time;
  };
  const timed = contents.toSorted(byEnd).map((each) => ({ each, time: timeIn(each) }));
  const isFirst = ({ each }: { readonly each: T }) => (each.whole ? 0 : 1);
  return timed
    .toSorted((one, other) => one.time - other.time || isFirst(one) - isFirst(other) || byEnd(one.each, other.each))
    .map(({ each }) => each);
}

function byEnd(one: Written, other: Written): number {
  return one.end - other.end;
}

/** Size and root of a log. */
export interface LogExtent {
  readonly size: number;
  readonly root: string;
}

export const NO_EXTENT: LogExtent = { size: 0, root: hashText(rootOf(EMPTY_LOG)) };

export function longest(one: LogExtent, other: LogExtent): LogExtent {
  return other.size > one.size ? other : one;
}

/** Content in the order in which it enters the index. */
export interface Arrangement {
  readonly contents: readonly FoundContent[];
  /** Size of the log in the index, before the content enters it. */
  readonly indexed: number;
  /** The longest log that a note tells. */
  readonly told: LogExtent;
  /** Size up to which the order of the log is the told order; less than `told` where batches are lost. */
  readonly followed: number;
}

/**
 * Orders content of several files for a log that ends at `size`: first as noted, then each run in its own order, runs
 * by the time of writing. Content without a batch keeps its place at the end.
 */
export function arrange(contents: readonly FoundContent[], notes: readonly OrderNote[], size: number): Arrangement {
  const batches = lightest(contents);
  const places = new Map([...contents.flatMap(placeIn), ...notes.flatMap(placesIn)]);
  const first: FoundContent[] = [];
  let followed = size;
  for (let found = batches.get(places.get(followed) ?? ''); found; found = batches.get(places.get(followed) ?? '')) {
    first.push(found);
    followed += found.batch.records - found.batch.run_seq;
  }
  const placed = new Set<FoundContent>(first);
  const rest = inRunOrder([...batches.values()].filter((each) => !placed.has(each)));
  const others = contents.filter(({ batch }) => batch === undefined);
  const again = contents.filter((each) => each.batch !== undefined && !isIn(batches, each));
  const told = notes.map((note) => ({ size: endOf(note), root: note.root })).reduce(longest, NO_EXTENT);
  return { contents: [...first, ...rest, ...again, ...others], indexed: size, told, followed };
}

type WithBatch = FoundContent & { readonly batch: FoundBatch };

/** The lightest content of each batch, with its rows: a batch that is erased in a single file is erased. */
function lightest(contents: readonly FoundContent[]): ReadonlyMap<string, WithBatch> {
  const found = new Map<string, WithBatch>();
  for (const each of contents) {
    if (each.batch === undefined) continue;
    const other = found.get(batchName(each.batch));
    const isLess = other === undefined || each.batch.weight < other.batch.weight;
    const [one, two] = isLess ? [each, other] : [other, each];
    const rows = one.hasRows ? one : (two ?? one);
    const others = rows === one ? {} : { rowsIn: rows, hasRows: rows.hasRows, at: rows.at };
    found.set(batchName(each.batch), { ...(one as WithBatch), ...others });
  }
  return found;
}

function placeIn({ seq, batch }: FoundContent): readonly (readonly [number, string])[] {
  return seq === undefined || batch === undefined ? [] : [[seq, batchName(batch)]];
}

function placesIn({ from, order }: OrderNote): readonly (readonly [number, string])[] {
  let at = from;
  return order.map(([run_id, run_seq, records]) => {
    at += records;
    return [at - records, batchName({ run_id, run_seq })] as const;
  });
}

function isIn(batches: ReadonlyMap<string, WithBatch>, { batch, file, end }: FoundContent): boolean {
  const chosen = batch && batches.get(batchName(batch));
  return chosen?.file === file && chosen.end === end;
}

function endOf({ from, order }: OrderNote): number {
  return order.reduce((sum, [, , records]) => sum + records, from);
}

/** Each run in its own order, whatever the clock said; runs by the time of writing. */
function inRunOrder(contents: readonly WithBatch[]): readonly FoundContent[] {
  const times = new Map<string, number>();
  const timed = contents
    .toSorted((one, other) => one.batch.run_seq - other.batch.run_seq)
    .map((each) => {
      const time = Math.max(each.at, times.get(each.batch.run_id) ?? 0);
      times.set(each.batch.run_id, time);
      return { each, time };
    });
  return timed.toSorted((one, other) => one.time - other.time).map(({ each }) => each);
}
