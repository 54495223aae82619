/** Counts of a log, or of several logs. A log that kept its promises has zero in all of them but the first three. */
export interface LoadFindings {
  readonly records: number;
  readonly runs: number;
  /** Steps that a kill cut off, and that were closed. */
  readonly interruptedSteps: number;
  /** Acknowledged records that the log does not hold. */
  readonly lost: number;
  /** Batches behind a gap, with another number of records than their place says, or with altered payloads. */
  readonly half: number;
  /** Steps with two effects, two intents or two receipts. */
  readonly twice: number;
  /** Effects without an intent. */
  readonly unrecorded: number;
  /** Runs that do not verify, or are not sealed. */
  readonly broken: number;
  /** Roots that a process was told and that the log contradicts. */
  readonly contradicted: number;
}

export interface LoadOptions {
  /** File of `worker.ts` as Node runs it. */
  readonly worker: string;
  readonly ms: number;
  readonly seed: number;
  readonly processes: number;
  readonly logs: number;
  readonly runs: number;
  readonly signal: AbortSignal;
  readonly onCount: (counts: LoadCounts) => void;
}

/** Counts while the test runs. */
export interface LoadCounts {
  readonly ms: number;
  readonly acknowledged: number;
  readonly kills: number;
  readonly pauses: number;
  readonly crashes: number;
  readonly cuts: number;
}

export interface LoadEnd extends LoadCounts, LoadFindings {
  readonly faults: readonly string[];
}
