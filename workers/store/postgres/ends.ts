import { sha256Hex } from '../../../core/hash.ts';
import { AlteredData } from '../sql/altered.ts';
import type { SqlRow } from '../sql/row.ts';
import type { Batch } from '../store.ts';
import { batchIn, type EncodedBatch } from './batches.ts';

/** The end of a run or of the log: what the next batch follows. */
export type BatchEnd = Pick<Batch, 'seq' | 'run_id' | 'run_seq' | 'after'>;

interface KnownEnd extends BatchEnd {
  /** Hash of the frame, in hex. */
  readonly sha256: string;
}

/** Runs whose last batch a store remembers. */
const RUNS = 1_024;

/**
 * The last batch of each run, and of the log, as this store has written them. The database sends a frame only where its
 * hash differs: a frame that another store has written, or that was changed.
 */
export class KnownEnds {
  readonly #runs = new Map<string, KnownEnd>();
  #log: KnownEnd | undefined;

  /** Hash of the last frame of the log that this store has written. */
  get logHash(): string | null {
    return this.#log?.sha256 ?? null;
  }

  /** Hash of the last frame of each run; null for a run that is not known. */
  hashesOf(run_ids: readonly string[]): readonly (string | null)[] {
    return run_ids.map((run_id) => this.#runs.get(run_id)?.sha256 ?? null);
  }

  /** Ends of the runs that are known. */
  runEnds(run_ids: readonly string[]): readonly (readonly [run_id: string, end: BatchEnd])[] {
    return run_ids.flatMap((run_id) => {
      const known = this.#runs.get(run_id);
      return known === undefined ? [] : [[run_id, known] as const];
    });
  }

  /** Remembers batches after their commit. */
  add(batches: readonly EncodedBatch[]): void {
    for (const { batch, frame } of batches) {
      const { seq, run_id, run_seq, after } = batch;
      const end: KnownEnd = { seq, run_id, run_seq, after, sha256: sha256Hex(frame) };
      this.#runs.delete(run_id);
      this.#runs.set(run_id, end);
      this.#log = end;
    }
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  /** End of the log in a row; without a frame it is the known one. Throws `AlteredData`. */
  logEnd(row: SqlRow): BatchEnd {
    return endIn(row, this.#log);
  }

  /** As `logEnd`, of the run that the row is of. */
  runEnd(row: SqlRow): BatchEnd {
    return endIn(row, this.#runs.get(String(row['name'])));
  }
}

function endIn(row: SqlRow, known: KnownEnd | undefined): BatchEnd {
  if (row['frame'] !== null) return batchIn(row);
  const { seq, run_id, run_seq } = row;
  const isSame = known?.seq === Number(seq) && known.run_id === run_id && known.run_seq === Number(run_seq);
  if (!isSame) throw new AlteredData(`has a batch of another place at place ${String(seq)}`);
  return known;
}
