/** A cut of the power, as the next start finds it. */
export interface Cut {
  /** Number of batches that were found although they were not acknowledged as flushed. */
  readonly unflushed: number;
  /** Whether a readable witness was left. */
  readonly witnessed: boolean;
  /** Names of the rules that the found log breaks. Empty when the log is sound. */
  readonly faults: readonly string[];
}
