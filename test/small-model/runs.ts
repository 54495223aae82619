/** Right of all, by the name of a measure. */
export type Shares = Readonly<Record<string, readonly [right: number, of: number]>>;

/** The hash of the judged file, and the measures of each list of tasks. */
export interface JudgedLists {
  readonly sha256: string;
  readonly 'held-out tasks'?: Shares;
  readonly 'held-out phrases of no template'?: Shares;
  readonly 'development tasks'?: Shares;
  readonly 'development phrases of no template'?: Shares;
}

/** A training or a part of it, as `workers/bridges/models/small/trainer/runs.json` keeps it. */
export interface Run {
  readonly name: string;
  /** The generator of its training data: runs of two generators are not compared. */
  readonly generator: number;
  /** Options of the trainer; a run that is not finished names the file of a step. */
  readonly made: string;
  readonly shape: readonly [width: number, layers: number, heads: number, hidden: number];
  readonly parameters: number;
  readonly steps: number;
  /** How many episodes the training saw. */
  readonly episodes: number;
  /** Time of one processor. */
  readonly seconds: number;
  /** True for a training beside other work, which takes a step more seconds. */
  readonly busy?: boolean;
  /** The training saw so many episodes, again and again; each step saw new ones where it is left out. */
  readonly pool?: number;
  readonly judged?: JudgedLists;
}

/** A place on an axis, with the measures of the held-out list. */
export interface Point {
  readonly at: number;
  readonly run: Run;
  readonly shares: Shares;
}

/** Finished runs that differ in one thing. */
export interface Axis {
  readonly name: string;
  /** The members that all runs of the axis share. */
  readonly same: string;
  /** Unit of a place, for a description in words. */
  readonly unit: string;
  /** A place as a number of the axis. */
  readonly label: (at: number) => string;
  readonly points: readonly Point[];
}

interface AxisRule extends Omit<Axis, 'points'> {
  readonly takes: (run: Run) => boolean;
  readonly at: (run: Run, compared: readonly Run[]) => number;
}

const count = (at: number): string => at.toLocaleString('en');

const RULES: readonly AxisRule[] = [
  {
    name: 'Data: distinct episodes',
    same: '64 wide, 4,000 steps',
    unit: 'episodes',
    label: count,
    takes: ({ shape, steps }) => shape[0] === 64 && steps === 4_000,
    at: ({ pool, episodes }) => pool ?? episodes,
  },
  {
    name: 'Time: seconds of one processor',
    same: '64 wide, new episodes at each step',
    unit: 'seconds',
    label: count,
    takes: ({ shape, pool }) => shape[0] === 64 && pool === undefined,
    at: secondsOf,
  },
  {
    name: 'Size: millions of parameters',
    same: '12,000 steps, new episodes at each step',
    unit: 'million parameters',
    label: (at) => (at / 1e6).toFixed(2),
    takes: ({ steps, pool }) => steps === 12_000 && pool === undefined,
    at: ({ parameters }) => parameters,
  },
];

/** The three axes, with the judged and finished runs of the last generator in their order. */
export function axesOf(runs: readonly Run[]): readonly Axis[] {
  const last = Math.max(...runs.map(({ generator }) => generator));
  const compared = runs.filter(({ generator, made }) => generator === last && !made.includes('the file of step'));
  return RULES.map(({ takes, at, ...axis }) => ({
    ...axis,
    points: compared
      .filter(takes)
      .flatMap((run) => {
        const shares = run.judged?.['held-out tasks'];
        return shares === undefined ? [] : [{ at: at(run, compared), run, shares }];
      })
      .toSorted((a, b) => a.at - b.at),
  }));
}

/** Seconds of one processor. A run that was busy has its steps at the pace of another run of its size. */
function secondsOf(run: Run, compared: readonly Run[]): number {
  const paced = compared.find(({ parameters, pool, busy }) => parameters === run.parameters && !pool && !busy);
  return run.busy && paced !== undefined ? Math.round((run.steps * paced.seconds) / paced.steps) : run.seconds;
}

/** The run whose file is in the package. */
export function shippedOf(runs: readonly Run[]): Run {
  const [shipped, ...more] = runs.filter(({ name }) => name.endsWith(': shipped'));
  if (shipped === undefined || more.length > 0) throw new Error('One run is named as shipped.');
  return shipped;
}
