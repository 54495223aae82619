import { type ReadonlySignal, signal } from '@preact/signals-core';

/** Measures the time in which the page does not answer, which a person would feel as a stutter. */
export interface Pauses {
  /** The longest delay beyond the beat itself, in whole ms; undefined before the first measurement. */
  readonly longestMs: ReadonlySignal<number | undefined>;
  /** Watches until the function it returns is called. */
  start(): () => void;
}

const BEAT_MS = 20;

export function watchPauses(): Pauses {
  const longestMs = signal<number | undefined>(undefined);
  return {
    longestMs,
    start: () => {
      let last = performance.now();
      const beat = (): void => {
        const now = performance.now();
        longestMs.value = Math.max(longestMs.peek() ?? 0, Math.round(now - last - BEAT_MS));
        last = now;
      };
      const timer = setInterval(beat, BEAT_MS);
      return () => clearInterval(timer);
    },
  };
}
