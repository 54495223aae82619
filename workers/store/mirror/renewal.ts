/**
 * A rewrite of the copy while the ledger is in use: a single rewrite at a time, page by page, aborted as soon as a
 * caller needs the copy. An aborted rewrite leaves the old copy as it was; the next opening begins again.
 */
export class Renewal {
  #end: AbortController | undefined;
  #over: Promise<unknown> = Promise.resolve();

  begin(renew: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#end !== undefined) return;
    const end = new AbortController();
    this.#end = end;
    this.#over = renew(end.signal)
      .catch(() => undefined)
      .finally(() => {
        this.#end = undefined;
      });
  }

  /** Aborts the rewrite, and returns when it has ended. */
  async stop(): Promise<void> {
    this.#end?.abort();
    await this.#over;
  }
}
