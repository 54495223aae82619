/**
 * Bound on the kills of a pool. A terminated thread lives on for a while: two seconds of a core in Chromium, without
 * end in WebKit. Killing without a bound would be a denial of service.
 */
export interface KillBudget {
  /** Hangs of a capability after which it is not started again. */
  readonly perCapability: number;
  /** Kills within `windowMs` after which no call is started. */
  readonly kills: number;
  readonly windowMs: number;
}

export const BROWSER_KILLS: KillBudget = { perCapability: 1, kills: 2, windowMs: 5000 };
/** Threads of Node end at once, so the caller decides about hangs. */
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

  /** False when starting this capability now could exceed the bound. */
  allow(hash: string, nowMs: number): boolean {
    this.#recent = this.#recent.filter((at) => nowMs - at < this.#budget.windowMs);
    const hangs = this.#hangs.get(hash) ?? 0;
    return hangs < this.#budget.perCapability && this.#recent.length < this.#budget.kills;
  }
}
