/** A cut of the power, as the next start finds it. */
export interface Cut {
  /** How many batches were there that nobody had been told were on the disk. */
  readonly unflushed: number;
  /** Whether anything was left of the witness. */
  readonly witnessed: boolean;
  /** What was acknowledged and is gone, is there by half, or was erased and is there: none. */
  readonly faults: readonly string[];
}
