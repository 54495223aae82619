import type { Report } from '../ledger/checks.ts';
import { parseExport } from '../ledger/export.ts';
import { VERDICT_EXIT, verdictOf } from '../ledger/verdict.ts';
import { verifyFile } from '../ledger/verify.ts';
import type { TaskWant } from './shows.ts';
import { fileShows, type HandedInFile, tasksShown } from './solve.ts';
import { LESSON_WANTS } from './wants.generated.ts';

/** A file of a pupil: its text with its check results, without an anchor; or the reason that it could not be read. */
export type CheckedFile =
  | { readonly name: string; readonly text: string; readonly report: Report }
  | { readonly name: string; readonly fault: string };

/**
 * What a file counts as. `evidence`: a falsified copy, which a lesson asks for, beside the run that it was made from.
 * `altered`: a check failed, and no task asks for it. `unread`: it cannot be read as an export.
 */
export type FileUse = 'consistent' | 'evidence' | 'altered' | 'unread';

/** A file of a pupil in the table. */
export interface ClassFile {
  readonly name: string;
  /** The lesson that its name tells. A file without one counts for every lesson. */
  readonly lesson?: number;
  readonly use: FileUse;
  /** Exit code of its verdict; `malformed` for a file that could not be read. */
  readonly code: number;
  readonly report?: Report;
  readonly fault?: string;
}

/** How far a pupil is with a lesson, by the files of that pupil alone. */
interface LessonWork {
  readonly lesson: number;
  /** For each task, in order: true if a file shows it. */
  readonly tasks: readonly boolean[];
  /** Ids of the runs that were handed in for the lesson. */
  readonly runs: readonly string[];
  /** False if no file is named for the lesson, and none shows a task of it. */
  readonly isHandedIn: boolean;
}

/** The work of a pupil, before it is compared with the work of the others. */
export interface PupilWork {
  readonly name: string;
  readonly files: readonly ClassFile[];
  /** Number of files of other lessons, which were not checked. */
  readonly ignored: number;
  readonly lessons: readonly LessonWork[];
}

/**
 * `copied` wins over the others: a run of the lesson was handed in by another pupil, too. An export names no author, so
 * each of them has this state, and a person asks who made it. `missing`: no file was handed in for the lesson.
 */
export type LessonState = 'solved' | 'not_yet' | 'missing' | 'copied';

export interface LessonCell extends Omit<LessonWork, 'isHandedIn'> {
  readonly state: LessonState;
  readonly solved: boolean;
  /** Names of the pupils who handed in a run of this lesson, too. */
  readonly shared: readonly string[];
}

/** Runs that a pupil has in common with another. */
export interface SharedRuns {
  readonly pupil: string;
  /** Number of common runs, of all runs of this pupil. */
  readonly runs: number;
  readonly of: number;
}

export interface ClassPupil extends Omit<PupilWork, 'lessons'> {
  readonly lessons: readonly LessonCell[];
  /** Number of lessons whose tasks are all shown. */
  readonly solved: number;
  readonly shared: readonly SharedRuns[];
}

/** Pupils by lessons, in the order in which they were given. */
export interface ClassTable {
  readonly lessons: readonly number[];
  readonly pupils: readonly ClassPupil[];
  readonly ignored: number;
}

/** Numbers of all lessons. */
export const LESSON_NUMBERS: readonly number[] = LESSON_WANTS.map((_, at) => at + 1);

/** The lesson that a file name tells, as *Save the evidence* names it: `lesson-4.2.run.jsonl`. */
export function lessonNamed(name: string): number | undefined {
  const number = Number(/(?:^|[\\/ ])lesson-(\d{1,2})(?!\d)[^\\/]*$/iu.exec(name)?.[1]);
  return LESSON_NUMBERS.includes(number) ? number : undefined;
}

/** True if a task of the lesson asks for a replay: then the check of its files needs one. */
export function asksReplay(lesson: number): boolean {
  return tasksOf(lesson).some(({ audit }) => [...(audit?.fails ?? []), ...(audit?.proves ?? [])].includes('replay'));
}

/** The work of a pupil in these lessons. `ignored`: number of files of other lessons, left out of `files`. */
export function workOf(
  name: string,
  files: readonly CheckedFile[],
  lessons: readonly number[],
  ignored = 0,
): PupilWork {
  const handed = handedIn(files);
  return {
    name,
    files: files.map((file) => classFile(file, handed.get(file), lessons)),
    ignored,
    lessons: lessons.map((lesson) => {
      const tasks = tasksOf(lesson);
      const own = [...handed].filter(([file]) => countsFor(file, lesson));
      const tasksDone = tasksShown(
        tasks,
        own.map(([, each]) => each),
      );
      const ofLesson = own.filter(
        ([file, each]) => lessonNamed(file.name) === lesson || tasks.some((task) => fileShows(task, each)),
      );
      const runs = new Set(ofLesson.flatMap(([, { run_id }]) => run_id ?? []));
      return { lesson, tasks: tasksDone, runs: [...runs], isHandedIn: ofLesson.length > 0 };
    }),
  };
}

/** A run with this many other versions beside it is no homework: the rest is not compared. */
const ORIGINALS_MAX = 8;

/** The files that were read, each compared with the intact runs beside it that have its id. */
function handedIn(files: readonly CheckedFile[]): ReadonlyMap<CheckedFile, HandedInFile> {
  const read = files.flatMap((file) => ('report' in file ? [{ file, parsed: parseExport(file.text) }] : []));
  const handed = new Map<CheckedFile, HandedInFile>();
  for (const { file, parsed } of read) {
    const { run_id } = parsed;
    const originals = read.filter(
      (other) => other.file.report.ok && other.parsed.run_id === run_id && other.file.text !== file.text,
    );
    const against = originals
      .slice(0, ORIGINALS_MAX)
      .map(({ file: { report } }) => verifyFile(parsed, { anchor: { count: report.records, head: report.head } }));
    const records = parsed.records.flatMap((line) => (line === undefined ? [] : [line.record]));
    handed.set(file, { run_id, records, report: file.report, against });
  }
  return handed;
}

function tasksOf(lesson: number): readonly TaskWant[] {
  return LESSON_WANTS[lesson - 1] ?? [];
}

/** True if the name of the file tells this lesson, or none. */
export function countsFor({ name }: { readonly name: string }, lesson: number): boolean {
  return (lessonNamed(name) ?? lesson) === lesson;
}

function classFile(file: CheckedFile, handed: HandedInFile | undefined, lessons: readonly number[]): ClassFile {
  const { name } = file;
  const named = lessonNamed(name);
  const place = { name, ...(named !== undefined && { lesson: named }) };
  if (!('report' in file)) return { ...place, use: 'unread', code: VERDICT_EXIT.malformed, fault: file.fault };
  const { report } = file;
  const code = verdictOf(report).exit;
  const isEvidence =
    handed !== undefined &&
    lessons.some((lesson) => countsFor(file, lesson) && tasksOf(lesson).some((task) => fileShows(task, handed)));
  return { ...place, use: code === VERDICT_EXIT.ok ? 'consistent' : isEvidence ? 'evidence' : 'altered', code, report };
}

/** The table of these pupils, each compared with the others. Runs are compared by their ids, so an altered copy counts. */
export function classTable(pupils: readonly PupilWork[], lessons: readonly number[]): ClassTable {
  const owners = new Map<string, PupilWork[]>();
  for (const pupil of pupils) for (const run of runsOf(pupil)) owners.set(run, [...(owners.get(run) ?? []), pupil]);
  const others = (pupil: PupilWork, run: string): readonly PupilWork[] =>
    (owners.get(run) ?? []).filter((other) => other !== pupil);
  return {
    lessons,
    pupils: pupils.map((pupil) => {
      const cells = pupil.lessons.map((work) => cellOf(work, new Set(work.runs.flatMap((run) => others(pupil, run)))));
      return {
        ...pupil,
        lessons: cells,
        solved: cells.filter(({ solved }) => solved).length,
        shared: sharedBy(pupil, (run) => others(pupil, run)),
      };
    }),
    ignored: pupils.reduce((sum, { ignored }) => sum + ignored, 0),
  };
}

function runsOf({ lessons }: PupilWork): ReadonlySet<string> {
  return new Set(lessons.flatMap(({ runs }) => runs));
}

function cellOf({ isHandedIn, ...work }: LessonWork, others: ReadonlySet<PupilWork>): LessonCell {
  const solved = work.tasks.every(Boolean);
  const own: LessonState = solved ? 'solved' : isHandedIn ? 'not_yet' : 'missing';
  const shared = [...others].map(({ name }) => name);
  return { ...work, state: shared.length > 0 ? 'copied' : own, solved, shared };
}

function sharedBy(pupil: PupilWork, others: (run: string) => readonly PupilWork[]): readonly SharedRuns[] {
  const runs = runsOf(pupil);
  const counts = new Map<PupilWork, number>();
  for (const run of runs) for (const other of others(run)) counts.set(other, (counts.get(other) ?? 0) + 1);
  return [...counts].map(([{ name }, count]) => ({ pupil: name, runs: count, of: runs.size }));
}
