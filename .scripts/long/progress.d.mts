import type { Terminal } from './types.ts';

export interface Progress {
  tell(done: number, total: number, note?: string): void;
  /** Leaves the line that is rewritten, so that another text can follow. */
  clear(): void;
}

/** Reports the progress of a test: on a single line for a person at a terminal, else in a line now and then. */
export function makeProgress(
  name: string,
  terminal: Pick<Terminal, 'isWatched' | 'complain'>,
  now?: () => number,
): Progress;
