import { withMarked } from './marked.ts';
import type { Run } from './runs.ts';
import { shippedTable } from './shipped-table.ts';

/** Where the documentation has the table, from the root. */
export const RUNS_PAGE = 'web/docs/small-model.md';

/** The page with the table of the shipped run. */
export function withRuns(page: string, runs: readonly Run[]): string {
  return withMarked(page, 'shipped', shippedTable(runs));
}
