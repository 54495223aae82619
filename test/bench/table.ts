import { median, type Raced, type Times, timesOf } from './race.ts';

/** One line of the table: our cost beside the cost of another way to do the same in the same run. */
export interface Row {
  readonly what: string;
  readonly against: string;
  /** In µs, or in the unit of the row. */
  readonly ours: Times;
  /** Unit of a row that tells no time. */
  readonly unit?: 'MB';
  /** Absent when there is no other cost: the row only says how long ours takes. */
  readonly theirs?: Times;
  readonly ratio?: Times;
  /** Why the other side was not measured. */
  readonly missing?: string;
  /** Absent when the design names no goal: the line is only for comparison. */
  readonly goal?: Goal;
}

/** At most this multiple of the other cost, or at most this many µs or MB of ours. */
export type Goal = { readonly ratio: number } | { readonly us: number } | { readonly mb: number };

/** The rows of a race: ours, its first side, against each other side. A goal belongs to the side at its place. */
export function rowsOf(
  what: string,
  [ours, ...others]: readonly Raced[],
  ...goals: readonly (Goal | undefined)[]
): Row[] {
  if (ours === undefined) return [];
  return others.map(({ name, times, ratio }, at) => {
    const goal = goals[at];
    return { what, against: name, ours: ours.times, theirs: times, ratio, ...(goal === undefined ? {} : { goal }) };
  });
}

/** ms of a step late in a long run, and of a step early in a short run that was played at the same time. */
export interface Neighbours {
  readonly late: number;
  readonly early: number;
}

/** A row for the ten thousandth step of a run beside the hundredth of another, from turns that alternated. */
export function flatRow(what: string, turns: readonly Neighbours[]): Row {
  const [ours, theirs] = [
    timesOf(turns.map(({ late }) => late * 1000)),
    timesOf(turns.map(({ early }) => early * 1000)),
  ];
  const ratio = { best: ours.best / theirs.best, median: median(turns.map(({ late, early }) => late / early)) };
  return { what, against: 'its step 100', ours, theirs, ratio, goal: { ratio: 1.05 } };
}

/**
 * `yes`: by the best and by the median; `best`: by the best alone, on a quiet machine; `median`: by the
 * median alone.
 */
export function met({ goal, ours, ratio }: Row): '' | 'yes' | 'best' | 'median' | 'NO' {
  if (goal === undefined) return '';
  const [limit, measured] = 'ratio' in goal ? [goal.ratio, ratio] : ['us' in goal ? goal.us : goal.mb, ours];
  if (measured === undefined) return '';
  if (measured.best <= limit) return measured.median <= limit ? 'yes' : 'best';
  return measured.median <= limit ? 'median' : 'NO';
}

const HEAD = ['what', 'ours µs', 'against', 'µs', 'ratio', 'goal', 'met'] as const;

/** Number of rows, number of goals, and number of goals by result. */
export interface Counts {
  readonly rows: number;
  readonly goals: number;
  /** By the best and by the median; by the best alone; by the median alone; by neither of them. */
  readonly met: number;
  readonly best: number;
  readonly median: number;
  readonly missed: number;
}

export function countsOf(rows: readonly Row[]): Counts {
  const count = (end: string) => rows.filter((row) => met(row) === end).length;
  const [yes, best, middle, missed] = [count('yes'), count('best'), count('median'), count('NO')];
  return { rows: rows.length, goals: yes + best + middle + missed, met: yes, best, median: middle, missed };
}

/** The rows as text. Every cell of two numbers is best / median. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.what,
    pair(row.ours, row.unit === 'MB' ? megabytes : micros),
    row.against,
    row.missing ?? pair(row.theirs, micros),
    pair(row.ratio, plain),
    said(row.goal),
    met(row),
  ]);
  const widths = HEAD.map((head, at) => Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const write = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [write(HEAD), write(widths.map((width) => '-'.repeat(width))), ...lines.map(write)].join('\n');
}

export function said(goal: Goal | undefined): string {
  if (goal === undefined) return '';
  if ('mb' in goal) return `≤ ${megabytes(goal.mb)}`;
  return 'ratio' in goal ? `≤ ${Number(goal.ratio.toFixed(2))}` : `≤ ${duration(goal.us)}`;
}

/** `best / median`, or an empty text. */
export function pair(times: Times | undefined, say: (number: number) => string): string {
  return times === undefined ? '' : `${say(times.best)} / ${say(times.median)}`;
}

/** A number of µs in the unit that suits it. */
export function duration(us: number): string {
  if (us < 1000) return `${Number(us.toPrecision(3))} µs`;
  return us < 1e6 ? `${Number((us / 1000).toPrecision(3))} ms` : `${Number((us / 1e6).toPrecision(3))} s`;
}

/** What ours comes to, in the unit of the row. */
export function amount({ ours, unit }: Row): string {
  return pair(ours, unit === 'MB' ? megabytes : duration);
}

function megabytes(mb: number): string {
  return `${Number(mb.toPrecision(3))} MB`;
}

function micros(us: number): string {
  return us < 10 ? us.toFixed(2) : us < 100 ? us.toFixed(1) : us.toFixed(0);
}

/** A ratio as text. */
export function plain(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}
