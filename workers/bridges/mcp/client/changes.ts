import { LongTimer } from '../../../async.ts';

/** Changes of a server's list, told to the runtime one at a time. */
export interface Changes {
  /** Notes a change. A flood of changes becomes one list every `PAUSE_MS`. */
  readonly note: () => void;
  /** True for a change that no list has taken in. */
  readonly isNoted: () => boolean;
  /** A list begins: changes before it are in it. */
  readonly taken: () => void;
  readonly listen: (listener: () => void) => () => void;
}

const PAUSE_MS = 500;

export function makeChanges(): Changes {
  const listeners = new Set<() => void>();
  const timer = new LongTimer();
  let isNoted = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    toldAt = performance.now();
    for (const listener of listeners) listener();
  };
  return {
    note: () => {
      if (isNoted) return;
      isNoted = true;
      const wait = toldAt + PAUSE_MS - performance.now();
      if (wait > 0) timer.start(wait, tell);
      else tell();
    },
    isNoted: () => isNoted,
    taken: () => {
      isNoted = false;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
