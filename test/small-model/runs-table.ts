import type { Run, Shares } from './runs.ts';

const MEASURES = ['right tool', 'exact arguments', 'whole tasks', 'recovery and refusals'] as const;
const LISTS = ['held-out tasks', 'development tasks'] as const;

/** The documentation has the table between these lines. */
const TABLE_BEGIN = '[//]: # (runs begin)';
const TABLE_END = '[//]: # (runs end)';

/** The page with the table of all judged runs in place of the one that it has. */
export function withRunsTable(page: string, runs: readonly Run[]): string {
  const [before, rest] = split(page, TABLE_BEGIN);
  const [, after] = split(rest, TABLE_END);
  return `${before}${TABLE_BEGIN}\n\n${runsTable(runs)}\n${TABLE_END}${after}`;
}

function split(page: string, line: string): readonly [string, string] {
  const at = page.indexOf(line);
  if (at === -1) throw new Error(`The page on the small model lacks the line ${line}`);
  return [page.slice(0, at), page.slice(at + line.length)];
}

function runsTable(runs: readonly Run[]): string {
  const judged = runs.filter((run) => run.judged !== undefined);
  return [
    `| run | parameters | episodes | seconds | ${MEASURES.join(' | ')} |`,
    `|---|---|---|---|${'---|'.repeat(MEASURES.length)}`,
    ...judged.map((run) => `| ${cellsOf(run).join(' | ')} |`),
    '',
  ].join('\n');
}

function cellsOf({ name, parameters, episodes, seconds, pool, judged }: Run): readonly string[] {
  const data = (pool ?? episodes).toLocaleString('en');
  const shares = MEASURES.map((measure) => LISTS.map((list) => percent(judged?.[list], measure)).join(', '));
  return [name, parameters.toLocaleString('en'), data, seconds.toLocaleString('en'), ...shares];
}

function percent(shares: Shares | undefined, measure: string): string {
  const share = shares?.[measure];
  return share === undefined ? '' : `${Math.round((100 * share[0]) / share[1])}%`;
}
