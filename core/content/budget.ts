/** Catalytic Chat Contract, Budget Definitions: what one message may spend; inclusive, 0 means none. */
export interface Budgets {
  readonly max_symbols: number;
  readonly max_sections: number;
  readonly max_bytes_expanded: number;
  readonly max_expands_per_step: number;
}

/** The contract's example numbers; a run may set others, a message may only lower them. */
export const BUDGETS: Budgets = {
  max_symbols: 10,
  max_sections: 5,
  max_bytes_expanded: 10_000,
  max_expands_per_step: 3,
};
