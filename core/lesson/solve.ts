import type { Report } from '../ledger/checks.ts';
import type { LedgerRecord } from '../ledger/record.ts';
import { auditShows, ledgerShows, type TaskWant } from './shows.ts';

/** A file that a learner has handed in, and its check results. */
export interface HandedInFile {
  readonly run_id: string | undefined;
  readonly records: readonly LedgerRecord[];
  /** Without an anchor. */
  readonly report: Report;
  /** For a copy: its checks against the head of each intact run with the same id among the files. */
  readonly against: readonly Report[];
}

/**
 * The tasks of a lesson that these files prove, in the order of the lesson. A falsified copy beside its original run
 * proves an audit task. No file names the button that falsified it: only its check results count.
 */
export function tasksShown(tasks: readonly TaskWant[], files: readonly HandedInFile[]): readonly boolean[] {
  return tasks.map((task) => files.some((file) => fileShows(task, file)));
}

/** True if this file proves the task, with the originals that it was checked against. */
export function fileShows(task: TaskWant, { records, report, against }: HandedInFile): boolean {
  if (task.audit === undefined) return report.ok && ledgerShows(task, records);
  const { last } = task.audit;
  if (last === undefined) return report.ok && auditShows(task, last, report);
  return against.length > 0 && [report, ...against].some((each) => auditShows(task, last, each));
}
