/** Argument of a process that measures the throughput. */
export interface MeasureOrder {
  /** Folder in whose `node_modules` the driver is. */
  readonly driver: string;
  readonly address: string;
  /** Runs that this process writes at the same time. */
  readonly writers: readonly { readonly run: number; readonly log: string }[];
  /** Steps of each run. */
  readonly steps: number;
}

/** Steps a second for so many processes and logs. */
export interface MeasuredCell {
  readonly processes: number;
  readonly logs: number;
  readonly store: number;
  readonly bare: number;
}

/** Time of an append behind so many records, in ms. */
export interface MeasuredAppend {
  readonly records: number;
  readonly median: number;
  readonly p95: number;
}

export interface ThroughputOptions {
  /** File of `measure-worker.ts` as Node runs it. */
  readonly worker: string;
  /** Steps of each cell. */
  readonly steps: number;
  readonly signal: AbortSignal;
  readonly onCell: (cell: MeasuredCell, done: number, total: number) => void;
}

export interface LatencyOptions {
  /** Records at the end. */
  readonly records: number;
  readonly signal: AbortSignal;
  readonly onSize: (append: MeasuredAppend) => void;
  readonly onFill: (records: number) => void;
}
