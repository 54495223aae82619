import type { Outcome } from '../../../core/outcome.ts';
import type { Entry } from '../journal/frame.ts';
import type { TableWrite } from '../tables.ts';
import type { Contents } from './contents.ts';

export type MirrorForm = 'opfs' | 'cache' | 'none';

/** Second copy of a log: all appends of all kernels of this origin. */
export interface Mirror extends Contents {
  /** Flushed before it returns, where the platform can flush. Throws the exceptions of the platform. */
  append(entries: readonly Entry[], flush: boolean): Promise<void>;
  /** Writes the given rows, flushed: all rows or none. The caller writes no other entry meanwhile. Throws the same. */
  take(mark: Mark, give: Give): Promise<Outcome<void>>;
  close(): Promise<void>;
}

/** Marks of a change as a whole. */
export type Mark = Required<Pick<Entry, 'at'>> & Pick<Entry, 'whole'>;
/** Hands rows over in parts, the next part when the last was taken. Its refusal takes all of them back. */
export type Give = (take: (rows: readonly TableWrite[]) => Promise<void>) => Promise<Outcome<void>>;

/** A copy that is made beside the old copy; until it takes over, both count. */
export interface FreshMirror extends Mirror {
  /** Removes all other files of its epoch. Called when this copy is complete and flushed. */
  takeOver(): Promise<void>;
  /** Removes this copy. */
  abandon(): Promise<void>;
}

/** The copies of a log, an epoch beside the next. */
export interface MirrorPlace {
  readonly form: MirrorForm;
  /** The last epoch with remaining entries; 0 for an empty place. */
  epoch(): Promise<number>;
  /** True if the place holds a copy. */
  isUsed(): Promise<boolean>;
  /** All entries of an epoch. Torn entries are left out. */
  readAll(epoch: number): Promise<readonly Entry[]>;
  open(epoch: number): Promise<Mirror>;
  fresh(epoch: number): Promise<FreshMirror>;
  /** Erases the entries of these runs, and their rows, from earlier epochs. */
  forget(epoch: number, run_ids: ReadonlySet<string>): Promise<void>;
  remove(): Promise<void>;
}

/**
 * True if a log of this size has its copy in this place, and must not get a second copy in another place. An unreadable
 * place counts as used unless another place has a copy.
 */
export async function hasCopy(place: MirrorPlace, others: readonly MirrorPlace[], size: number): Promise<boolean> {
  try {
    return await place.isUsed();
  } catch {
    const elsewhere = others.filter((other) => other !== place);
    const epochs = await Promise.all(elsewhere.map((other) => other.epoch().catch(() => 0)));
    return size > 0 && epochs.every((epoch) => epoch === 0);
  }
}
