import { GOALS } from './goals.ts';
import type { Run, Shares } from './runs.ts';

const MEASURES = Object.keys(GOALS);
const LISTS = ['held-out tasks', 'development tasks'] as const;

/** A row for each judged run, with both lists in each cell. */
export function runsTable(runs: readonly Run[]): string {
  const judged = runs.filter((run) => run.judged !== undefined);
  return [
    `| run | parameters | episodes | seconds | ${MEASURES.join(' | ')} |`,
    `|---|---|---|---|${'---|'.repeat(MEASURES.length)}`,
    ...judged.map((run) => `| ${cellsOf(run).join(' | ')} |`),
  ].join('\n');
}

function cellsOf({ name, parameters, episodes, seconds, busy, pool, judged }: Run): readonly string[] {
  const data = (pool ?? episodes).toLocaleString('en');
  const shares = MEASURES.map((measure) => LISTS.map((list) => percent(judged?.[list], measure)).join(', '));
  const time = `${seconds.toLocaleString('en')}${busy ? ' (busy)' : ''}`;
  return [name, parameters.toLocaleString('en'), data, time, ...shares];
}

function percent(shares: Shares | undefined, measure: string): string {
  const share = shares?.[measure];
  return share === undefined ? '' : `${Math.round((100 * share[0]) / share[1])}%`;
}
