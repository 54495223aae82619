import type { Report } from '../../../core/ledger/checks.ts';
import { parseExport } from '../../../core/ledger/export.ts';
import { verdictOf } from '../../../core/ledger/verdict.ts';
import { sentenceOf, VERDICT_WORDS } from '../../../core/ledger/words.ts';
import { type HandedInFile, tasksShown } from '../../../core/lesson/solve.ts';
import { LESSON_WANTS } from '../../../core/lesson/wants.generated.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import { type CheckOptions, checkExport } from '../../auditor/verify-export.ts';
import { openSandboxes } from '../platform.ts';
import { EXIT, type Terminal, UsageError } from './command.ts';
import { textOf } from './open.ts';
import { counted, VERDICT_MARKS } from './print.ts';
import type { Group } from './sources.ts';
import { painter } from './terminal.ts';

/** A file of a group, and its results. */
interface Row {
  readonly name: string;
  readonly text: string;
  readonly report: Report | undefined;
  /** Reason that the file could not be read. */
  readonly fault?: string;
  readonly code: number;
}

/** Tasks of a lesson that a group has solved, in order. */
interface LessonResult {
  readonly name: string;
  readonly tasks: readonly boolean[];
}

/**
 * Exit codes from the least trustworthy on: no export, altered, another decision, another result of a call. The exit
 * code of many files is that of the worst file.
 */
const WORST: readonly number[] = [EXIT.malformed, EXIT.tampered, EXIT.decision, EXIT.replay];

export function worstOf(codes: readonly number[]): number {
  return WORST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

/** The number after `--lesson`, which must be that of an existing lesson. */
export function lessonIn(given: string | boolean | undefined): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (!/^\d{1,2}$/.test(String(given)) || LESSON_WANTS[number - 1] === undefined)
    throw new UsageError(`--lesson takes a number from 1 to ${LESSON_WANTS.length}`);
  return number;
}

/** Checks every file of every group, finds files of the same run, and reports the solved tasks of a lesson. */
export async function checkMany(
  groups: readonly Group[],
  { quiet = false, ...options }: CheckOptions & { readonly quiet?: boolean },
  lesson: number | undefined,
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<number> {
  const rows = new Map<Group, readonly Row[]>();
  for (const group of groups) rows.set(group, await rowsOf(group, options));
  const all = [...rows.values()].flat();
  const copies = equalHeads(all);
  const shown: LessonResult[] = [];
  if (lesson !== undefined)
    for (const [group, own] of rows) shown.push({ name: group.name, tasks: await shownBy(own, lesson) });
  const code = worstOf(all.map((row) => row.code));
  if (json) {
    const files = all.map(({ name, report, fault, code: own }) => ({
      name,
      code: own,
      ...(fault && { fault }),
      ...(report && { report }),
    }));
    const lessons = shown.map(({ name, tasks }) => ({ name, lesson, tasks, solved: tasks.every(Boolean) }));
    terminal.printJson({ code, files, copies, ...(lesson !== undefined && { lessons }) });
  } else print(all, copies, shown, { lesson, quiet }, terminal);
  return code;
}

async function rowsOf({ files }: Group, options: CheckOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    if ('fault' in file) {
      rows.push({ name: file.name, text: '', report: undefined, fault: file.fault, code: EXIT.malformed });
      continue;
    }
    const text = textOf(file.bytes);
    const report = await checkExport(text, options, openSandboxes);
    rows.push({ name: file.name, text, report, code: verdictOf(report).exit });
  }
  return rows;
}

/** Groups of file names that hold the same run: an export does not name its author. */
function equalHeads(rows: readonly Row[]): readonly (readonly string[])[] {
  const byHead = new Map<string, string[]>();
  for (const { name, report } of rows)
    if (report !== undefined && report.records > 0) byHead.set(report.head, [...(byHead.get(report.head) ?? []), name]);
  return [...byHead.values()].filter((names) => names.length > 1);
}

/** Judges the tasks of a lesson. A falsified copy is compared with the intact run beside it that it was made from. */
async function shownBy(rows: readonly Row[], lesson: number): Promise<readonly boolean[]> {
  const wants = LESSON_WANTS[lesson - 1] ?? [];
  const replay = wants.some(({ audit }) => [...(audit?.fails ?? []), ...(audit?.proves ?? [])].includes('replay'));
  const files = rows.flatMap(({ text, report }) =>
    report === undefined ? [] : [{ text, report, ...parseExport(text) }],
  );
  const handed: HandedInFile[] = [];
  for (const { text, report, run_id, records } of files) {
    const lines = records.flatMap((line) => (line === undefined ? [] : [line.record]));
    const made = replay ? await checkExport(text, { replay }, openSandboxes) : report;
    const against: Report[] = [];
    for (const other of files) {
      if (other.run_id !== run_id || other.text === text || !other.report.ok) continue;
      const anchor = { count: other.report.records, head: other.report.head };
      against.push(await checkExport(text, { anchor, replay }, openSandboxes));
    }
    handed.push({ run_id, records: lines, report: made, against });
  }
  return tasksShown(wants, handed);
}

/**
 * Prints the table; with `quiet` the files that are not consistent. File names are strangers' text, so control characters
 * are escaped.
 */
function print(
  rows: readonly Row[],
  copies: readonly (readonly string[])[],
  shown: readonly LessonResult[],
  { lesson, quiet }: { readonly lesson: number | undefined; readonly quiet: boolean },
  terminal: Terminal,
): void {
  const paint = painter(terminal);
  const width = Math.min(Math.max(...rows.map(({ name }) => visibleLine(name).length), 4), 60);
  for (const { name, report, fault, code } of rows) {
    if (quiet && code === EXIT.ok) continue;
    const verdict = report && verdictOf(report);
    const { tone } = verdict ?? { tone: 'bad' };
    const what = verdict === undefined ? `Not read: ${fault ?? ''}` : sentenceOf(verdict, VERDICT_WORDS, counted);
    const head = report?.ok === true ? ` ${paint('soft', `head ${report.records}:${report.head}`)}` : '';
    terminal.print(
      `${paint(tone, VERDICT_MARKS[tone])} ${visibleLine(name).padEnd(width)}  ${visibleLine(what)}${head}`,
    );
  }
  for (const names of copies)
    terminal.print(paint('wait', `Equal heads, so one and the same run: ${names.map(visibleLine).join(', ')}`));
  for (const { name, tasks } of shown) {
    const done = tasks.filter(Boolean).length;
    const missing = tasks.flatMap((isShown, at) => (isShown ? [] : [at + 1]));
    const what = missing.length === 0 ? 'solved' : `${done} of ${tasks.length} tasks shown, not ${missing.join(', ')}`;
    terminal.print(
      `${paint(missing.length === 0 ? 'good' : 'bad', `Lesson ${lesson}`)}  ${visibleLine(name)}: ${what}`,
    );
  }
  const bad = rows.filter(({ code }) => code !== EXIT.ok).length;
  const files = rows.length === 1 ? '1 file' : `${counted(rows.length)} files`;
  const sum = `${files}: ${counted(rows.length - bad)} consistent, ${counted(bad)} not.`;
  terminal.print(paint(bad === 0 ? 'wait' : 'bad', sum));
}
