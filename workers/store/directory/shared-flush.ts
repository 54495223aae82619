/** Flushes of a file, a single flush at a time. All writes that wait for the disk share the next flush. */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #waiting: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** True while a flush runs or waits. */
  get isBusy(): boolean {
    return this.#isRunning || this.#waiting !== undefined;
  }

  /**
   * Resolves after a flush that begins now or later: a running flush may miss the latest write. After a failed flush
   * each waiting write fails too, because a second flush of lost bytes may succeed.
   */
  next(): Promise<void> {
    this.#waiting ??= this.#running.then(
      () => {
        this.#waiting = undefined;
        this.#isRunning = true;
        this.#running = this.#flush().finally(() => {
          this.#isRunning = false;
        });
        return this.#running;
      },
      (reason: unknown) => {
        this.#waiting = undefined;
        throw reason;
      },
    );
    return this.#waiting;
  }

  /** Resolves after the flush that runs or waits, failed or not. */
  over(): Promise<void> {
    return (this.#waiting ?? this.#running).catch(() => undefined);
  }
}
