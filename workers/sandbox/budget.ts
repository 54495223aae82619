/**
 * How often a pool may kill. A terminated thread lives on for a while: two seconds of a core in Chromium, without end
 * in WebKit, so killing without bound is a denial of service of its own.
 */
export interface KillBudget {
  /** Hangs of one capability after which it is not started again. */
  readonly perCapability: number;
  /** Kills within `windowMs` after which nothing is started. */
  readonly kills: number;
  readonly windowMs: number;
}

export const BROWSER_KILLS: KillBudget = { perCapability: 1, kills: 2, windowMs: 5000 };
/** Node's threads die at once; what hangs is the caller's business. */
export const NODE_KILLS: KillBudget = { perCapability: Infinity, kills: Infinity, windowMs: 1 };

export class Kills {
  readonly #budget: KillBudget;
  readonly #hangs = new Map<string, number>();
  #recent: number[] = [];

  constructor(budget: KillBudget) {
    this.#budget = budget;
  }

  add(hash: string, nowMs: number): void {
    this.#hangs.set(hash, (this.#hangs.get(hash) ?? 0) + 1);
    this.#recent.push(nowMs);
  }

  /** False when starting this capability now could lead to one kill too many. */
  allow(hash: string, nowMs: number): boolean {
    this.#recent = this.#recent.filter((at) => nowMs - at < this.#budget.windowMs);
    const hangs = this.#hangs.get(hash) ?? 0;
    return hangs < this.#budget.perCapability && this.#recent.length < this.#budget.kills;
  }
}
