import { type Deferred, deferred } from './deferred.ts';

/** An item that waits for its result. */
export interface BatchItem<I, R> {
  readonly item: I;
  readonly result: Deferred<R>;
}

/** How a queue makes and works its batches. */
export interface BatchWork<I, R> {
  /** Number of items, counted from the one that has waited longest, for the next batch: at least one. */
  readonly sizeOf: (waiting: readonly BatchItem<I, R>[]) => number;
  /** Resolves or rejects the result of each item of a batch. Does not throw. */
  readonly work: (batch: readonly BatchItem<I, R>[]) => Promise<void>;
}

/** Works items in batches, a batch at a time: items that wait at the same time share a batch. */
export class BatchQueue<I, R> {
  readonly #how: BatchWork<I, R>;
  #waiting: BatchItem<I, R>[] = [];
  #isBusy = false;

  constructor(how: BatchWork<I, R>) {
    this.#how = how;
  }

  /** True while an item waits or is worked. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  add(item: I): Promise<R> {
    const result = deferred<R>();
    this.#waiting.push({ item, result });
    if (!this.#isBusy) void this.#run();
    return result.promise;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    // items that are added in the same turn join the first batch
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#how.work(this.#waiting.splice(0, this.#how.sizeOf(this.#waiting)));
    }
    this.#isBusy = false;
  }
}
