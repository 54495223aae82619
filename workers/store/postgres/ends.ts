import type { RunHead } from '../../../core/ledger/chain.ts';
import { HEADER } from '../journal/header.ts';
import { AlteredData } from '../sql/altered.ts';
import type { SqlRow } from '../sql/row.ts';
import type { Batch, BatchEnd } from '../store.ts';
import type { EncodedBatch } from './adding.ts';
import { endIn } from './batches.ts';

/** A batch and its frame. */
export type WrittenBatch = Pick<EncodedBatch, 'batch' | 'frame'>;

interface LogEnd extends BatchEnd {
  readonly version: string;
}

/** Runs whose last batch a store remembers. */
const RUNS = 1_024;

/**
 * Version of the row of a batch: the transaction that wrote the row, and the header of its frame, which holds the check
 * sum. An update has another transaction. A log that was restored and written again has another check sum.
 */
export const ROW_VERSION = (of: string): string =>
  `${of}.xmin::text || ' ' || encode(substring(${of}.frame for ${HEADER}), 'hex')`;

/**
 * The last batch of each run, and of the log, as this store has written them. The database sends the last batch of the
 * log only where the version of its row differs: another store has written it, or it was changed. The end of a run needs
 * no look: it stands in the part of the log that the store has seen, and the place behind it can be taken only once.
 */
export class KnownEnds {
  readonly #runs = new Map<string, BatchEnd>();
  #log: LogEnd | undefined;

  /** Version of the row of the last batch, where this store has written it. */
  get logVersion(): string | null {
    return this.#log?.version ?? null;
  }

  /** End of a run, where this store knows it and the next batch follows it. */
  endBefore(run_id: string, { records, head }: RunHead): BatchEnd | undefined {
    const known = this.#runs.get(run_id);
    return known?.after.run.records === records && known.after.run.head === head ? known : undefined;
  }

  /** Remembers batches after the commit of their transaction. */
  add(batches: readonly WrittenBatch[], transaction: string): void {
    for (const { batch } of batches) {
      this.#runs.delete(batch.run_id);
      this.#runs.set(batch.run_id, endOf(batch));
    }
    const last = batches.at(-1);
    if (last !== undefined) this.#log = { ...endOf(last.batch), version: `${transaction} ${headerIn(last.frame)}` };
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  /** Forgets the ends of all runs. */
  forgetRuns(): void {
    this.#runs.clear();
  }

  /** End of the log in a row; without a frame it is the known one. Throws `AlteredData`. */
  logEnd(row: SqlRow): BatchEnd {
    if (row['frame'] !== null) return endIn(row);
    const known = this.#log;
    const { seq, run_id, run_seq } = row;
    const isSame = known?.seq === Number(seq) && known.run_id === run_id && known.run_seq === Number(run_seq);
    if (!isSame) throw new AlteredData(`has a batch of another place at place ${String(seq)}`);
    return known;
  }
}

/** Without the contents of the batch, which are large. */
function endOf({ seq, run_id, run_seq, after }: Batch): BatchEnd {
  return { seq, run_id, run_seq, after };
}

function headerIn({ buffer, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, HEADER).toString('hex');
}
