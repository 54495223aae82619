/** The longest time of a platform's timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A timer for any number of ms, which keeps no process of Node alive. Starting it again stops it first. */
export class LongTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(ms: number, act: () => void): void {
    this.stop();
    const rest = ms - TIMER_MAX_MS;
    this.#timer = setTimeout(() => (rest > 0 ? this.start(rest, act) : act()), Math.min(ms, TIMER_MAX_MS));
    (this.#timer as { unref?: () => void }).unref?.();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
