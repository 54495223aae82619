/** What `npm run test:long -- load --measure scale` measures. */
export interface ScalePlan {
  /** Sizes of ledgers in stores, and in a page. */
  readonly runs: { readonly stores: readonly number[]; readonly page: readonly number[] };
  readonly records: { readonly stores: readonly number[]; readonly page: readonly number[] };
  readonly files: readonly number[];
  readonly tools: readonly number[];
  readonly tabs: readonly number[];
  readonly processes: readonly number[];
  readonly logs: readonly number[];
  /** Steps for each number of processes, in PostgreSQL and in a file of this machine. */
  readonly steps: { readonly postgres: number; readonly file: number };
  /** Appends that are timed at each size, and steps of each run of a page. */
  readonly timed: number;
  /** Time for a store to reach its sizes, and for a page to, in ms: no larger size begins behind it. */
  readonly ms: { readonly runs: number; readonly records: number; readonly page: number };
}

/** The measurement for a quiet machine: about 25 minutes. */
export const WHOLE: ScalePlan = {
  runs: { stores: [10, 100, 1_000, 10_000], page: [10, 100, 1_000, 10_000] },
  records: { stores: [1_000, 10_000, 100_000, 1_000_000], page: [1_000, 10_000, 100_000] },
  files: [10, 100, 1_000, 10_000],
  tools: [1, 10, 100, 1_000],
  tabs: [1, 2, 4, 8],
  processes: [1, 2, 4],
  logs: [1, 8, 64],
  steps: { postgres: 6_400, file: 1_280 },
  timed: 50,
  ms: { runs: 40_000, records: 400_000, page: 60_000 },
};

/** A test of the measurement: about a minute. */
export const QUICK: ScalePlan = {
  runs: { stores: [10, 100], page: [10, 100] },
  records: { stores: [100, 1_000], page: [100, 1_000] },
  files: [10, 100],
  tools: [1, 10],
  tabs: [1, 2],
  processes: [1, 2],
  logs: [1, 8],
  steps: { postgres: 128, file: 64 },
  timed: 10,
  ms: { runs: 4_000, records: 6_000, page: 15_000 },
};
