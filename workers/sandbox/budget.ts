/**
 * Bound on the kills of a run. A terminated thread lives on for a while: two seconds of a core in Chromium, without
 * end in WebKit. Killing without a bound would be a denial of service.
 */
export interface KillBudget {
  /** Hangs of a capability in a run after which the run does not start it again. */
  readonly perCapability: number;
  /** Kills of a run within `windowMs` after which its next call waits. */
  readonly kills: number;
  readonly windowMs: number;
}

export const BROWSER_KILLS: KillBudget = { perCapability: 1, kills: 2, windowMs: 5000 };
/** Threads of Node end at once, so the caller decides about hangs. */
export const NODE_KILLS: KillBudget = { perCapability: Infinity, kills: Infinity, windowMs: 1 };

interface Charge {
  readonly hangs: Map<string, number>;
  recent: readonly number[];
}

/** The hangs of each run: a run is charged with those of its own calls, and with no other. */
export class Kills {
  readonly #budget: KillBudget;
  readonly #charges = new Map<string, Charge>();

  constructor(budget: KillBudget) {
    this.#budget = budget;
  }

  add(scope: string, hash: string, nowMs: number): void {
    const charge = this.#charges.get(scope) ?? { hangs: new Map<string, number>(), recent: [] };
    charge.hangs.set(hash, (charge.hangs.get(hash) ?? 0) + 1);
    charge.recent = [...charge.recent, nowMs].slice(-KEPT);
    this.#charges.set(scope, charge);
  }

  /** True for a capability that this run does not start again. */
  isBarred(scope: string, hash: string): boolean {
    return (this.#charges.get(scope)?.hangs.get(hash) ?? 0) >= this.#budget.perCapability;
  }

  /** Time in ms until the run may start its next call; 0 for now. */
  waitMs(scope: string, nowMs: number): number {
    const { kills, windowMs } = this.#budget;
    const recent = (this.#charges.get(scope)?.recent ?? []).filter((at) => nowMs - at < windowMs);
    const oldest = recent.at(-kills);
    return oldest === undefined || recent.length < kills ? 0 : oldest + windowMs - nowMs;
  }
}

/** Newest kills kept for each run: more than any budget counts. */
const KEPT = 16;
