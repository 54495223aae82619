import type { Pins } from './pins.ts';

/** A limit that the host saw exceeded. It stands, also when the guest returns a value. */
export type Stop = 'fuel' | 'deadline' | 'memory' | 'stack' | 'jobs' | 'aborted';

/** The interrupt counter of a context, wherever the memory's buffer is now. */
interface Counter {
  read(): number;
  write(operations: number): void;
  /** Whether the guest's stack has been deeper than it may. */
  overflowed(): boolean;
}

/**
 * Exact fuel. The engine counts an i32 down by 1 per operation and polls the host at zero, after setting it back to
 * `pollInterval`. We write a smaller step each time, so that the poll comes exactly when the fuel is used up; a value
 * of `pollInterval` at a poll tells this counter from a regular expression's own, which polls once per interval.
 */
export class Meter {
  stop: Stop | undefined;
  #limit = 0;
  #used = 0;
  #step = 0;
  #deadline = Infinity;
  #grace = 1;
  readonly #counter: Counter;
  readonly #interval: number;

  constructor(pins: Pins, counter: Counter) {
    this.#counter = counter;
    this.#interval = pins.pollInterval;
  }

  /**
   * Starts from zero use. `deadlineMs` counts from now. A guest that was stopped is stopped again after `grace`
   * operations: after the next operation, unless `grace` leaves it time to report its place.
   */
  arm(fuel: number, deadlineMs: number, grace = 1): void {
    this.stop = undefined;
    this.#grace = grace;
    this.#limit = fuel;
    this.#used = 0;
    this.#deadline = performance.now() + deadlineMs;
    this.#refill();
  }

  /** Operations since `arm`; the same in every engine. */
  get fuel(): number {
    return this.#used + this.#step - this.#counter.read();
  }

  /** ms left to the deadline. */
  get leftMs(): number {
    return this.#deadline - performance.now();
  }

  /** Continues after a wait, here or in another instance: earlier use counts, and waiting costs no fuel. */
  resume(fuel: number, used: number, leftMs: number, grace?: number): void {
    this.arm(fuel, leftMs, grace);
    this.#used = used;
    this.#refill();
  }

  /** The engine's poll: 1 stops the guest, and keeps stopping it. */
  interrupt(): 0 | 1 {
    const left = this.#counter.read();
    this.#used += left === this.#interval ? this.#step : this.#interval + this.#step - left;
    if (this.#counter.overflowed()) this.stop ??= 'stack';
    if (this.stop === undefined && this.#used > this.#limit) this.stop = 'fuel';
    if (this.stop === undefined && performance.now() > this.#deadline) this.stop = 'deadline';
    this.#refill();
    return this.stop === undefined ? 0 : 1;
  }

  /** Refills a single operation more than is left: using exactly the limit is allowed. */
  #refill(): void {
    const left = this.stop === undefined ? this.#limit - this.#used + 1 : this.#grace;
    this.#step = Math.max(1, Math.min(this.#interval - 1, left));
    this.#counter.write(this.#step);
  }
}
