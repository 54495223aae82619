export interface Tally {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly broken: number;
  readonly twice: number;
  /** Steps that a kill cut off, closed by whoever took the run up. */
  readonly interrupted: number;
  readonly openSteps: number;
  /** Logs that were torn by hand, databases filled again from their mirror, epochs that began with a loss. */
  readonly torn: number;
  readonly restored: number;
  readonly epochs: number;
}

export function killNode(count: number): Promise<Tally>;
export function killBrowser(name: 'chromium' | 'firefox', count: number): Promise<Tally>;
