/** A single wait at a time, which can be cancelled. */
export interface Delay {
  /** True after these ms; false after a cancellation. */
  wait(ms: number): Promise<boolean>;
  giveUp(): void;
}

/** The longest time that a timer takes. */
const TIMER_MS = 2 ** 31 - 1;

export function makeDelay(): Delay {
  let giveUp = () => {};
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(true), Math.min(ms, TIMER_MS));
        giveUp = () => {
          clearTimeout(timer);
          resolve(false);
        };
      }),
    giveUp: () => giveUp(),
  };
}
