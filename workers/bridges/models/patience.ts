/** Bounds on the silence of a server. Each ends the request as a failure that may pass: the run waits. */
export interface Patience {
  /**
   * ms until the first byte of an answer, and ms in which at least a piece of the answer must come: heartbeats alone are
   * none. 10 minutes unless given: a server on this device may load its model first.
   */
  readonly waitMs?: number;
  /** ms between two pieces of an answer, heartbeats included. 60 seconds unless given. */
  readonly silenceMs?: number;
}

export const PATIENCE: Required<Patience> = { waitMs: 600_000, silenceMs: 60_000 };

/** ms behind a finish reason in which a server still tells its usage and ends the stream. The answer is whole then. */
export const ENDING_MS = 2000;
