/** Measures a store as its log grows: the time of an append, and the time until the log is open. */
import { unwrap } from '../../core/sallyport-error.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { sampleRun } from '../../workers/testing/store/sample.ts';

/** Runs that fill the log at the same time, where a store shares a flush between writers. */
const WRITERS = 64;
/** Openings whose median counts, and the time behind which no further opening begins. */
const OPENINGS = 5;
const OPENINGS_MS = 10_000;

export interface GrowthOptions {
  /** Opens the log, which is the same each time. */
  readonly open: () => Promise<LedgerStore>;
  /** What `sizes` count. */
  readonly unit: 'runs' | 'records';
  /** Sizes to measure at, rising. */
  readonly sizes: readonly number[];
  /** Steps of each run that fills the log. A step has five records. */
  readonly steps: number;
  /** Appends whose time is taken at each size. */
  readonly timed: number;
  readonly signal: AbortSignal;
  /** True once no larger size shall be filled. */
  readonly isLate?: () => boolean;
  readonly onFill?: (size: number) => void;
  readonly onSize: (measured: GrownSize) => void;
}

/** A log of this size: times in ms. */
export interface GrownSize {
  readonly size: number;
  /** Median and 95th percentile of a flushed append of a step. */
  readonly median: number;
  readonly p95: number;
  /** Median time until a store is open and has listed its runs. */
  readonly open: number;
}

/** Fills the log to each size, and measures there. Resolves to false where the time was over before the last size. */
export async function measureGrowth(options: GrowthOptions): Promise<boolean> {
  const { sizes, timed, signal, isLate = () => false, onSize } = options;
  const log = new GrowingLog(options, await options.open());
  try {
    for (const size of sizes) {
      while (log.size < size) {
        signal.throwIfAborted();
        if (isLate()) return false;
        await log.fill(size);
        options.onFill?.(Math.min(log.size, size));
      }
      const open = await log.openings();
      // Timed last: their run makes the log a little larger.
      const times = (await log.timed(timed)).toSorted((one, other) => one - other);
      onSize({ size, median: at(times, 0.5), p95: at(times, 0.95), open });
    }
    return true;
  } finally {
    await log.close();
  }
}

/** A log that sample runs fill. */
class GrowingLog {
  readonly #options: GrowthOptions;
  #store: LedgerStore;
  #runs = 0;
  size = 0;

  constructor(options: GrowthOptions, store: LedgerStore) {
    this.#options = options;
    this.#store = store;
  }

  /** Writes runs at the same time, and at most as many as the size needs. */
  async fill(size: number): Promise<void> {
    const { steps } = this.#options;
    const each = this.#options.unit === 'runs' ? 1 : 5 * steps;
    const runs = Math.min(WRITERS, Math.ceil((size - this.size) / each));
    await Promise.all(Array.from({ length: runs }, () => this.#append(steps, 'relaxed')));
    await this.#count();
  }

  /** Writes a run step by step, each flushed. Resolves to the ms of each append. */
  async timed(steps: number): Promise<number[]> {
    const times = await this.#append(steps, 'strict');
    await this.#count();
    return times;
  }

  /** Closes and opens the log several times. Resolves to the median ms. */
  async openings(): Promise<number> {
    const times: number[] = [];
    const start = performance.now();
    for (let round = 0; round < OPENINGS && (round === 0 || performance.now() - start < OPENINGS_MS); round++) {
      await this.#store.close();
      const began = performance.now();
      this.#store = await this.#options.open();
      unwrap(await this.#store.runs());
      times.push(performance.now() - began);
    }
    return at(
      times.toSorted((one, other) => one - other),
      0.5,
    );
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #append(steps: number, durability: 'strict' | 'relaxed'): Promise<number[]> {
    const { run_id, batches } = sampleRun(this.#runs++, steps);
    const times: number[] = [];
    for (const batch of batches) {
      const began = performance.now();
      unwrap(await this.#store.append({ run_id, ...batch }, durability));
      times.push(performance.now() - began);
    }
    return times;
  }

  async #count(): Promise<void> {
    this.size = this.#options.unit === 'runs' ? this.#runs : unwrap(await this.#store.head()).size;
  }
}

/** The value at a share of sorted times, with two decimals. */
function at(sorted: readonly number[], share: number): number {
  return Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 1_000) / 1_000;
}
