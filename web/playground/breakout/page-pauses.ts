import { type ReadonlySignal, signal } from '@preact/signals-core';

/** Watches how long the page does not come to answer: what a person would feel as a stutter. */
export interface Pauses {
  /** Beyond the beat itself, in whole ms; undefined before anything was watched. */
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
