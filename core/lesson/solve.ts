import type { LedgerRecord } from '../ledger/record.ts';
import type { Report } from '../ledger/verify.ts';
import { auditShows, ledgerShows, type TaskWant } from './shows.ts';

/** One file that a learner has handed in, and what the checks say of it. */
export interface HandedIn {
  readonly run_id: string | undefined;
  readonly records: readonly LedgerRecord[];
  /** Without an anchor. */
  readonly report: Report;
  /** Of a copy, held against the head of each intact run with its id, beside it in what was handed in. */
  readonly against: readonly Report[];
}

/**
 * Which tasks of a lesson these files show, in the order of the lesson. A task of the audit is shown by a falsified copy
 * beside the run that it was made of. Which button falsified it no file says: what the checks say of it counts.
 */
export function tasksShown(tasks: readonly TaskWant[], files: readonly HandedIn[]): readonly boolean[] {
  const honest = files.filter(({ report }) => report.ok);
  return tasks.map((task) => {
    if (task.audit === undefined) return honest.some(({ records }) => ledgerShows(task, records));
    const { last } = task.audit;
    if (last === undefined) return honest.some(({ report }) => auditShows(task, last, report));
    const copies = files.filter(({ against }) => against.length > 0);
    const reports = copies.flatMap(({ report, against }) => [report, ...against]);
    return reports.some((report) => auditShows(task, last, report));
  });
}
