export interface Tally {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** Checkpoints that were told, and those that a later log contradicted. */
  readonly told: number;
  readonly contradicted: number;
  readonly broken: number;
  readonly twice: number;
  /** Steps that a kill cut off, closed by the process that resumed the run. */
  readonly interrupted: number;
  readonly openSteps: number;
  /** Logs that were torn by hand, databases filled again from the private files, epochs that began with a loss. */
  readonly torn: number;
  readonly restored: number;
  readonly epochs: number;
}

export interface KillOptions {
  /** Seed of the moments of the kills; absent: another seed each time. */
  readonly seed?: number;
  /** Ends the series: its processes are killed, and its files removed. */
  readonly signal?: AbortSignal | undefined;
  /** Is told the sums after each kill. */
  readonly onKill?: (tally: Tally) => void;
}

export interface NodeKillOptions extends KillOptions {
  readonly store?: 'directory' | 'sqlite';
  /** The binary of Node that runs the writer. */
  readonly node?: string;
  /** Folder of the ledger, which then stays; absent: a new folder. */
  readonly directory?: string;
}

export function killNode(count: number, options?: NodeKillOptions): Promise<Tally>;
export function killBrowser(name: 'chromium' | 'firefox', count: number, options?: KillOptions): Promise<Tally>;
