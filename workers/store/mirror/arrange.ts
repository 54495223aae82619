import { hashText } from '../../../core/hash.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { batchName } from '../journal/compaction.ts';
import type { OrderNote } from '../journal/frame.ts';
import { EMPTY_LOG } from '../store.ts';
import type { TailBatch, TailContent } from './tails.ts';

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
  readonly contents: readonly TailContent[];
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
export function arrange(contents: readonly TailContent[], notes: readonly OrderNote[], size: number): Arrangement {
  const batches = lightest(contents);
  const places = new Map([...contents.flatMap(placeIn), ...notes.flatMap(placesIn)]);
  const first: TailContent[] = [];
  let followed = size;
  for (let found = batches.get(places.get(followed) ?? ''); found; found = batches.get(places.get(followed) ?? '')) {
    first.push(found);
    followed += found.batch.records - found.batch.run_seq;
  }
  const placed = new Set<TailContent>(first);
  const rest = inRunOrder([...batches.values()].filter((each) => !placed.has(each)));
  const others = contents.filter(({ batch }) => batch === undefined);
  const again = contents.filter((each) => each.batch !== undefined && !isIn(batches, each));
  const told = notes.map((note) => ({ size: endOf(note), root: note.root })).reduce(longest, NO_EXTENT);
  return { contents: [...first, ...rest, ...again, ...others], indexed: size, told, followed };
}

type WithBatch = TailContent & { readonly batch: TailBatch };

/** The lightest content of each batch, with its rows: a batch that is erased in a single file is erased. */
function lightest(contents: readonly TailContent[]): ReadonlyMap<string, WithBatch> {
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

function placeIn({ seq, batch }: TailContent): readonly (readonly [number, string])[] {
  return seq === undefined || batch === undefined ? [] : [[seq, batchName(batch)]];
}

function placesIn({ from, order }: OrderNote): readonly (readonly [number, string])[] {
  let at = from;
  return order.map(([run_id, run_seq, records]) => {
    at += records;
    return [at - records, batchName({ run_id, run_seq })] as const;
  });
}

function isIn(batches: ReadonlyMap<string, WithBatch>, { batch, file, end }: TailContent): boolean {
  const chosen = batch && batches.get(batchName(batch));
  return chosen?.file === file && chosen.end === end;
}

function endOf({ from, order }: OrderNote): number {
  return order.reduce((sum, [, , records]) => sum + records, from);
}

/** Each run in its own order, whatever the clock said; runs by the time of writing. */
function inRunOrder(contents: readonly WithBatch[]): readonly TailContent[] {
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
