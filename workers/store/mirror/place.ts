import type { Outcome } from '../../../core/outcome.ts';
import type { Entry } from '../journal/frame.ts';
import type { TableWrite } from '../tables.ts';
import type { Contents } from './contents.ts';

export type MirrorForm = 'opfs' | 'cache' | 'none';

/** The second copy of a log: whatever was appended to it, by any kernel of this origin. */
export interface Mirror extends Contents {
  /** Flushed before it returns, where that can be asked for. Throws what the platform throws. */
  append(entries: readonly Entry[], flush: boolean): Promise<void>;
  /** The rows that are given, flushed: all of them or none. Nothing else may be written meanwhile. Throws the same. */
  take(mark: Mark, give: Give): Promise<Outcome<void>>;
  close(): Promise<void>;
}

/** What is said of rows as a whole. */
export type Mark = Required<Pick<Entry, 'at'>> & Pick<Entry, 'whole'>;
/** Hands rows over, some at a time, the next when these have been taken. Its refusal takes all of them back. */
export type Give = (take: (rows: readonly TableWrite[]) => Promise<void>) => Promise<Outcome<void>>;

/** A copy that is being made beside the one there is; until it takes over, both count. */
export interface FreshMirror extends Mirror {
  /** Everything else of its epoch goes. To be called when all of it is flushed. */
  takeOver(): Promise<void>;
  /** It goes itself. */
  abandon(): Promise<void>;
}

/** Where the copies of one log are, an epoch beside the other. */
export interface MirrorPlace {
  readonly form: MirrorForm;
  /** The last epoch that anything is left of; 0 where nothing is. */
  epoch(): Promise<number>;
  /** A copy is in it. */
  isUsed(): Promise<boolean>;
  /** Everything that is left of an epoch. What a crash tore is not in it. */
  readAll(epoch: number): Promise<readonly Entry[]>;
  open(epoch: number): Promise<Mirror>;
  fresh(epoch: number): Promise<FreshMirror>;
  /** Takes away what earlier epochs have left of these runs, and their rows. */
  forget(epoch: number, run_ids: ReadonlySet<string>): Promise<void>;
  remove(): Promise<void>;
}

/**
 * True if a log of this size has its copy in this place, and is not to have another elsewhere. A place that does not even
 * say so has it, unless one of the others does.
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
