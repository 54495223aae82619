import { withMarked } from './marked.ts';
import type { Run } from './runs.ts';
import { runsTable } from './runs-table.ts';
import { shippedTable } from './shipped-table.ts';

/** Where the documentation has the tables, from the root. */
export const RUNS_PAGE = 'web/docs/small-model.md';

/** The page with the tables of these runs. */
export function withRuns(page: string, runs: readonly Run[]): string {
  return withMarked(withMarked(page, 'shipped', shippedTable(runs)), 'runs', runsTable(runs));
}
