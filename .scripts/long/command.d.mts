import type { LongTest, Terminal } from './types.ts';

export const EXIT: { readonly passed: 0; readonly failed: 1; readonly usage: 2; readonly interrupted: 130 };

/** Resolves to the exit code. */
export function runLong(test: LongTest, words: readonly string[], terminal: Terminal): Promise<number>;

/** Runs a long test with this process's words and ends the process. */
export function start(test: LongTest): Promise<void>;
