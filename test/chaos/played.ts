/** The result of a life. */
export interface Played {
  /** Number of kills of the process. */
  readonly kills: number;
  readonly records: number;
  readonly receipts: number;
  /** Faults of the ledger; an honest ledger has an empty list. */
  readonly faults: readonly string[];
}
