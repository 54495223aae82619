export interface Tally {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly broken: number;
  readonly twice: number;
  readonly interrupted: number;
  readonly openSteps: number;
}

export function killNode(count: number): Promise<Tally>;
