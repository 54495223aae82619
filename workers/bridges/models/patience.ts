/** Bounds on the silence of a server. Each ends the request as a failure that may pass: the run waits. */
export interface Patience {
  /**
   * ms until the first byte of an answer, and ms in which at least a piece of the answer must come: heartbeats alone are
   * none. 10 minutes unless given: a server on this device may load its model first.
   */
  readonly waitMs?: number;
  /** ms between two pieces of an answer, heartbeats included. 60 seconds unless given. */
  readonly silenceMs?: number;
}

export const PATIENCE: Required<Patience> = { waitMs: 600_000, silenceMs: 60_000 };

/** ms behind a finish reason in which a server still tells its usage and ends the stream. The answer is whole then. */
export const ENDING_MS = 2000;

/** Value of `within` for a promise that did not settle in time. */
export const LATE: unique symbol = Symbol('late');

/** The longest wait that a timer takes. */
const TIMER_MAX = 2 ** 31 - 1;

/** The promise's value, or `LATE` where it takes more than `ms`. The promise itself goes on. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), Math.min(Math.max(0, ms), TIMER_MAX));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
