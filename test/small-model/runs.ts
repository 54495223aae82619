/** Right of all, by the name of a measure. */
export type Shares = Readonly<Record<string, readonly [right: number, of: number]>>;

/** A training or a part of it, as `.scripts/small-model/runs.json` keeps it. */
export interface Run {
  readonly name: string;
  /** The generator of its training data: runs of two generators are not compared. */
  readonly generator: number;
  readonly shape: readonly [width: number, layers: number, heads: number, hidden: number];
  readonly parameters: number;
  readonly steps: number;
  /** How many episodes the training saw. */
  readonly episodes: number;
  /** Time of one processor. */
  readonly seconds: number;
  /** The training saw so many episodes, again and again; each step saw new ones where it is left out. */
  readonly pool?: number;
  readonly judged?: { readonly 'held-out tasks'?: Shares; readonly 'development tasks'?: Shares };
}

/** The runs of one size and of the same data by their steps, all of the last generator. */
export interface Size {
  readonly width: number;
  readonly pool?: number;
  readonly parameters: number;
  readonly points: readonly (readonly [steps: number, shares: Shares])[];
}

/** The judged runs of the last generator, the largest network first, and the most data first. */
export function sizesOf(runs: readonly Run[]): readonly Size[] {
  const last = Math.max(...runs.map(({ generator }) => generator));
  const compared = runs.filter(({ generator }) => generator === last);
  const ofLine = (run: Run): readonly Run[] =>
    compared.filter(({ parameters, pool }) => parameters === run.parameters && pool === run.pool);
  return compared
    .filter((run) => ofLine(run)[0] === run)
    .map((run) => ({
      width: run.shape[0],
      parameters: run.parameters,
      ...(run.pool === undefined ? {} : { pool: run.pool }),
      points: pointsOf(ofLine(run)),
    }))
    .filter(({ points }) => points.length > 0)
    .toSorted((a, b) => b.parameters - a.parameters || (b.pool ?? Infinity) - (a.pool ?? Infinity));
}

function pointsOf(runs: readonly Run[]): Size['points'] {
  return runs
    .flatMap(({ steps, judged }) => {
      const shares = judged?.['held-out tasks'];
      return shares === undefined ? [] : [[steps, shares] as const];
    })
    .toSorted(([a], [b]) => a - b);
}
