import type { LedgerRecord } from '../../core/index.ts';
import type { Run, Runtime } from '../../workers/api.ts';

export interface RecordsSnapshot {
  /** The newest records, in the order of `run_seq`. The list is a new object after each change. */
  readonly records: readonly LedgerRecord[];
  /** Number of all records that the run has so far. */
  readonly count: number;
  /** `ended` after the seal of a turn; `following` again when the run takes its next task. */
  readonly status: 'following' | 'ended' | 'failed';
  /** With `failed`: for example `SallyportError` with `run_absent`. */
  readonly error?: unknown;
}

export const NO_RECORDS: RecordsSnapshot = { records: [], count: 0, status: 'following' };

/** Source of a run's records from run_seq 0. `watch` tells that the run may have more of them after their end. */
interface RecordReader {
  readonly records: (signal: AbortSignal) => AsyncIterable<LedgerRecord>;
  readonly watch?: (listener: () => void) => () => void;
}

/** Records of a run as an external store of React. */
export interface RecordList {
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => RecordsSnapshot;
}

export function readerOfRun(run: Run): RecordReader {
  return { records: (signal) => run.records({ signal }), watch: (listener) => run.watch(listener) };
}

export function readerById(runtime: Runtime, run_id: string): RecordReader {
  return { records: (signal) => runtime.follow(run_id, { signal }) };
}

/** Holds the newest `last` records. Each subscription reads the run from its first record. */
export function makeRecordList(reader: RecordReader, last: number): RecordList {
  let state = NO_RECORDS;
  const subscribe = (listener: () => void) => {
    const controller = new AbortController();
    const following = new Following(reader, last, controller.signal, (next) => {
      state = next;
      listener();
    });
    const leave = reader.watch?.(() => void following.read());
    void following.read();
    return () => {
      leave?.();
      controller.abort();
    };
  };
  return { subscribe, snapshot: () => state };
}

/** Reads the records of a run while it grows. */
class Following {
  readonly #reader: RecordReader;
  readonly #last: number;
  readonly #signal: AbortSignal;
  readonly #tell: (state: RecordsSnapshot) => void;
  #newest: LedgerRecord[] = [];
  #count = 0;
  #isReading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(reader: RecordReader, last: number, signal: AbortSignal, tell: (state: RecordsSnapshot) => void) {
    this.#reader = reader;
    this.#last = last;
    this.#signal = signal;
    this.#tell = tell;
  }

  /** Reads to the end of the turn. */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for await (const record of this.#reader.records(this.#signal)) this.#take(record);
      this.#publish({ status: 'ended' });
    } catch (error) {
      this.#publish({ status: 'failed', error });
    } finally {
      this.#isReading = false;
    }
  }

  /** The iteration of a later turn begins with the records of the turns before. */
  #take(record: LedgerRecord): void {
    if (record.run_seq < this.#count) return;
    this.#count = record.run_seq + 1;
    this.#newest.push(record);
    if (this.#newest.length > 2 * this.#last) this.#newest = this.#newest.slice(-this.#last);
    // Records that arrive together are rendered together.
    this.#timer ??= setTimeout(() => this.#publish({ status: 'following' }));
  }

  #publish(end: Pick<RecordsSnapshot, 'status' | 'error'>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#signal.aborted) return;
    this.#tell({ records: this.#newest.slice(-this.#last), count: this.#count, ...end });
  }
}
