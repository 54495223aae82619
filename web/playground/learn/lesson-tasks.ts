import type { LedgerRecord, Report } from '../../../core/index.ts';
import { auditShows, type Lesson, ledgerShows, type Task } from './lessons/lesson.ts';
import { type LessonProgress, NOT_BEGUN, type Progress } from './progress.ts';

/** An export with the id of its run. */
export interface RunFile {
  readonly id: string;
  readonly file: string;
}

/** The state of an audited file: the last falsification, the report, and the text that the report is about. */
export interface AuditedState {
  readonly last: string | undefined;
  readonly report: Report | undefined;
  readonly text: string;
}

/** The tasks of a lesson. A task is marked as done by a run that shows it, which is stored as evidence. */
export interface LessonTasks {
  isDone(task: number): boolean;
  /** Marks the tasks that these records show, and stores the run. */
  noteRun(records: readonly LedgerRecord[], run: RunFile): void;
  /** Marks the tasks that an audit of this run shows, and stores the run with the learner's copies of it. */
  noteAudit(audited: AuditedState, run: RunFile): void;
}

export function openLessonTasks(lesson: Lesson, progress: Progress): LessonTasks {
  const reached = (): LessonProgress => progress.lessons.peek().get(lesson.number) ?? NOT_BEGUN;

  const newlyDone = (shows: (task: Task) => boolean): readonly number[] => {
    const { done } = reached();
    return lesson.tasks.flatMap((task, i) => (!done.includes(i) && shows(task) ? [i] : []));
  };

  const mark = (tasks: readonly number[], files: LessonProgress['evidence']): void => {
    const { done, evidence } = reached();
    progress.change(lesson.number, { done: [...done, ...tasks], evidence: { ...evidence, ...files } });
  };

  return {
    isDone: (task) => reached().done.includes(task),
    noteRun: (records, { id, file }) => {
      const tasks = newlyDone((task) => ledgerShows(task, records));
      if (tasks.length > 0 || reached().evidence[id] !== undefined) mark(tasks, { [id]: file });
    },
    noteAudit: ({ last, report, text }, { id, file }) => {
      const tasks = newlyDone((task) => auditShows(task, last, report));
      if (tasks.length === 0) return;
      const copies = last === undefined ? [] : tasks.map((task) => [`${id} ${task}`, text] as const);
      mark(tasks, { [id]: file, ...Object.fromEntries(copies) });
    },
  };
}
