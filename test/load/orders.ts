import type { LeaseTimes } from '../../workers/store/shared-store.ts';

/** Argument of a process of `npm run test:long -- load`. */
export interface WorkerOrder {
  /** Folder in whose `node_modules` the driver is. */
  readonly driver: string;
  readonly address: string;
  /** File that takes a line for each effect. */
  readonly effects: string;
  readonly logs: readonly string[];
  /** Runs in each log at a time. */
  readonly runs: number;
  readonly times: LeaseTimes;
  /** `finish` ends the open runs, and begins none. */
  readonly mode: 'work' | 'finish';
}

/** A batch that the store has acknowledged, with the log behind it. */
export interface AcknowledgedBatch {
  readonly log: string;
  readonly acknowledged: readonly string[];
  readonly size: number;
  readonly root: string;
}

/** A line of a process. */
export type Told = AcknowledgedBatch | { readonly opened: number };
