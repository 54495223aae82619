import type { Terminal } from './types.ts';

export interface Progress {
  tell(done: number, total: number, note?: string): void;
  /** Leaves the line that is rewritten, so that another text can follow. */
  clear(): void;
}

/** Tells how far a test is: on one line where a person watches, else in a line now and then. */
export function makeProgress(
  name: string,
  terminal: Pick<Terminal, 'isWatched' | 'complain'>,
  now?: () => number,
): Progress;
