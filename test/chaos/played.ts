/** The end of a life. */
export interface Played {
  /** How often the process was killed. */
  readonly kills: number;
  readonly records: number;
  readonly receipts: number;
  /** In which way the ledger was not honest: none. */
  readonly faults: readonly string[];
}
