/**
 * A copy that is made anew while the ledger is in use: one at a time, page by page, and given up as soon as anybody
 * wants what it holds. Given up, it leaves the old copy as it was; the next one to open the ledger begins again.
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

  /** When it answers, nobody is making one. */
  async stop(): Promise<void> {
    this.#end?.abort();
    await this.#over;
  }
}
