/** One wait at a time, that can be given up. */
export interface Delay {
  /** True after so many ms; false where it was given up. */
  wait(ms: number): Promise<boolean>;
  giveUp(): void;
}

/** The longest that a timer takes. */
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
