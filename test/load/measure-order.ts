/** Argument of a process that measures the throughput. */
export interface MeasureOrder {
  /** Folder in whose `node_modules` the driver is. */
  readonly driver: string;
  readonly address: string;
  /** Runs that this process writes at the same time. */
  readonly writers: readonly { readonly run: number; readonly log: string }[];
  /** Steps of each run. */
  readonly steps: number;
  /** False: the stores do not listen to other processes, and prepare no statement. */
  readonly listens?: boolean;
  /** False: the steps have no payloads. */
  readonly payloads?: boolean;
  /** Turns in which the steps are appended, each before a turn of bare inserts. Default: one. */
  readonly turns?: number;
}

/** What a step takes in a way to write it. Times are in µs a step; an absent time cannot be had on this machine. */
export interface Pace {
  readonly perSecond: number;
  /** Times on a processor, of all processes together and of the server. */
  readonly program: number;
  readonly server: number | undefined;
  /** Time in which the processors of the machine had nothing to do, of all processors together. */
  readonly idle: number;
}

/** The pace of the store and of bare inserts, for so many processes and logs. */
export interface MeasuredCell {
  readonly processes: number;
  readonly logs: number;
  readonly store: Pace;
  readonly bare: Pace;
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
  /** Numbers of processes and of logs to measure with. Absent: 1, 2 and 4 with 1, 8 and 64, and with a log for each process. */
  readonly processes?: readonly number[];
  readonly logs?: readonly number[];
  readonly signal: AbortSignal;
  readonly onCell: (cell: MeasuredCell, done: number, total: number) => void;
}

/** What a step costs in a way to write it. Absent numbers cannot be had on this machine. */
export interface StepCost {
  readonly name: string;
  readonly logs: number;
  /** Steps a second. */
  readonly steps: number;
  /** Steps in each transaction. */
  readonly group: number;
  /** Statements for each transaction. */
  readonly statements: number;
  /** Bytes a step: to the server, from the server, and into the log of the server. */
  readonly sent: number;
  readonly received: number;
  readonly wal: number;
  /** Time on a processor a step, in µs: of the program and of the server. */
  readonly program: number;
  readonly server: number | undefined;
}

export interface ProfileOptions {
  /** File of `measure-worker.ts` as Node runs it. */
  readonly worker: string;
  /** Steps of each way to write. */
  readonly steps: number;
  readonly signal: AbortSignal;
  readonly onCost: (cost: StepCost, done: number, total: number) => void;
}

export interface LatencyOptions {
  /** Records at the end. */
  readonly records: number;
  readonly signal: AbortSignal;
  readonly onSize: (append: MeasuredAppend) => void;
  readonly onFill: (records: number) => void;
}

/** A store that is opened in a place of its own. */
export type StorePlace =
  | { readonly engine: 'directory' | 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly driver: string; readonly address: string; readonly log: string };

/** Argument of a process that measures the steps of several processes on one store. */
export interface WritingOrder {
  readonly place: StorePlace;
  /** Runs that this process writes at the same time. */
  readonly runs: readonly number[];
  /** Steps of each run. */
  readonly steps: number;
}

/** Argument of a process that measures a store as its log grows. */
export interface GrowthOrder {
  readonly place: StorePlace;
  readonly unit: 'runs' | 'records';
  readonly sizes: readonly number[];
  readonly steps: number;
  readonly timed: number;
  /** Time behind which no larger size is filled, in ms. */
  readonly ms: number;
}
