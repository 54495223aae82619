import type { Frontier } from '../../../core/ledger/tree.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import type { OrderNote } from '../journal/frame.ts';
import type { Batch, Durability } from '../store.ts';
import type { IndexPlan } from './plan.ts';
import type { Waiting } from './waiting.ts';

/** Key in the offsets of the size up to which the order of the log is in a file. */
export const NOTED = 'noted';
/** Key in the offsets that is present while the files may lack content of the index. */
export const INCOMPLETE = 'incomplete';

/** Key in the offsets that is present while the index is filled page by page: the rows come behind the batches. */
export const FILLING = 'filling';

/** Key in the offsets that is present while a backup is restored. */
export const RESTORING = 'restoring';

/** Options of a placement. */
export interface PlaceOptions {
  readonly durability: Durability;
  /** Size that the log had before. `log_lost` for a shorter log. */
  readonly floor: number;
}

/** Order of the log that no file has yet, with the log that it leads to. */
export interface UnnotedOrder {
  readonly note: OrderNote | undefined;
  readonly log: Frontier;
}

/** The index of private files: it gives each batch its place in the log. Every call is a single transaction. */
export interface LogIndex {
  /** Takes waiting content in: all of it, or none. `log_lost`, `store_full`, `store_lost`. */
  place(waiting: readonly Waiting[], options: PlaceOptions): Promise<Outcome<IndexPlan>>;
  /** For each file, how far the index has it; and the marks. */
  offsets(): Promise<Outcome<ReadonlyMap<string, number>>>;
  /** Changes offsets and marks; undefined removes one. */
  setOffsets(changes: ReadonlyMap<string, number | undefined>, durability?: Durability): Promise<Outcome<void>>;
  unnoted(): Promise<Outcome<UnnotedOrder>>;
  /** Marks the order of the log up to this size as written to a file, and returns when the log is on the disk. */
  setNoted(size: number): Promise<Outcome<void>>;
  frontier(): Promise<Outcome<Frontier>>;
  /** Root of the log when it had this size; undefined where no batch ended there. */
  rootAt(size: number): Promise<Outcome<string | undefined>>;
  /** Number of records of each run, deleted runs included. */
  records(): Promise<Outcome<ReadonlyMap<string, number>>>;
  /** Row of a run behind its last batch. */
  run(run_id: string): Promise<Outcome<RunRow | undefined>>;
  /** The batch of a run that begins with this record. */
  batchAt(run_id: string, run_seq: number): Promise<Outcome<Batch | undefined>>;
}
