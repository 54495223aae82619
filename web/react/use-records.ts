import { useMemo, useSyncExternalStore } from 'react';
import type { LedgerRecord } from '../../core/index.ts';
import type { Run, Runtime } from '../../workers/api.ts';
import { assertOption } from './option.ts';

export interface RecordsOptions {
  /** Number of the newest records that the list holds, at least 1; 1,000 unless given. */
  readonly last?: number;
}

const NO_LIST: RecordList = { subscribe: () => () => undefined, snapshot: () => NO_RECORDS };

/**
 * Records of a run while it grows, each after the ledger has acknowledged it: of a `Run`, or of any stored run by its
 * id, which any tab may write. A larger `last` reads older records. Without a run the list is empty. Throws
 * `option_invalid` for a wrong `last`.
 *
 * @experimental
 */
export function useRecords(run: Run | undefined, options?: RecordsOptions): RecordsSnapshot;
export function useRecords(
  runtime: Runtime | undefined,
  run_id: string | undefined,
  options?: RecordsOptions,
): RecordsSnapshot;
export function useRecords(
  source: Run | Runtime | undefined,
  second?: string | RecordsOptions,
  third?: RecordsOptions,
): RecordsSnapshot {
  const run_id = typeof second === 'string' ? second : undefined;
  const { last = 1_000 } = (typeof second === 'object' ? second : third) ?? {};
  const list = useMemo(() => listOf(source, run_id, last), [source, run_id, last]);
  return useSyncExternalStore(list.subscribe, list.snapshot, NO_LIST.snapshot);
}

function listOf(source: Run | Runtime | undefined, run_id: string | undefined, last: number): RecordList {
  assertOption(Number.isSafeInteger(last) && last >= 1, 'last', 'a whole number, 1 or more');
  if (source === undefined) return NO_LIST;
  if ('result' in source) return makeRecordList(readerOfRun(source), last);
  return run_id === undefined ? NO_LIST : makeRecordList(readerById(source, run_id), last);
}

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

const NO_RECORDS: RecordsSnapshot = { records: [], count: 0, status: 'following' };

/** Source of a run's records from run_seq 0. `watch` tells that the run may have more of them after their end. */
interface RecordReader {
  readonly records: (signal: AbortSignal) => AsyncIterable<LedgerRecord>;
  readonly watch?: (listener: () => void) => () => void;
}

/** Records of a run as an external store of React. */
interface RecordList {
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => RecordsSnapshot;
}

function readerOfRun(run: Run): RecordReader {
  return { records: (signal) => run.records({ signal }), watch: (listener) => run.watch(listener) };
}

function readerById(runtime: Runtime, run_id: string): RecordReader {
  return { records: (signal) => runtime.follow(run_id, { signal }) };
}

/** Holds the newest `last` records. Each subscription reads the run from its first record. */
function makeRecordList(reader: RecordReader, last: number): RecordList {
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
