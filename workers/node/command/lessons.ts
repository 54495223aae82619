import { verdictOf } from '../../../core/ledger/verdict.ts';
import { sentenceOf, VERDICT_WORDS } from '../../../core/ledger/words.ts';
import {
  type ClassFile,
  type ClassPupil,
  type ClassTable,
  LESSON_NUMBERS,
  type LessonCell,
} from '../../../core/lesson/class.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import { checkClass } from '../../auditor/check-class.ts';
import type { Group } from '../../auditor/handed-in.ts';
import { type CheckOptions, checkExport } from '../../auditor/verify-export.ts';
import { openSandboxes } from '../platform.ts';
import { type CommandCall, type Terminal, UsageError } from './command.ts';
import { worstOf } from './many.ts';
import { counted, VERDICT_MARKS } from './print.ts';
import { painter } from './terminal.ts';

/** The lessons that `--lesson` names, in their order: numbers joined by commas, or `all`. */
export function lessonsIn(given: string | boolean | undefined): readonly number[] | undefined {
  if (given === undefined) return undefined;
  const words = String(given).split(',');
  if (words.includes('all')) return LESSON_NUMBERS;
  const lessons = new Set(words.map((word) => (/^\d{1,2}$/.test(word) ? Number(word) : 0)));
  if (![...lessons].every((lesson) => LESSON_NUMBERS.includes(lesson)))
    throw new UsageError(`--lesson takes a number from 1 to ${LESSON_NUMBERS.length}, or all`);
  return [...lessons].sort((a, b) => a - b);
}

/**
 * Prints the table of a class: a group is a pupil. Returns the worst exit code of the files that no task asks for:
 * falsified copies that a lesson asks for are evidence, and lessons that are not solved are no fault of a file.
 */
export async function checkLessons(
  groups: readonly Group[],
  lessons: readonly number[],
  options: Pick<CheckOptions, 'deadlineMs'>,
  { json, terminal, options: { details } }: CommandCall,
): Promise<number> {
  const table = await checkClass(groups, lessons, (text, replay) =>
    checkExport(text, { ...options, replay }, openSandboxes),
  );
  const files = table.pupils.flatMap((pupil) => pupil.files);
  const code = worstOf(files.filter(isFault).map((file) => file.code));
  if (json) {
    const rows = table.pupils.flatMap(({ name, lessons: cells }) => cells.map((cell) => ({ name, ...cell })));
    const pupils = table.pupils.map(({ name, solved, shared, ignored }) => ({ name, solved, shared, ignored }));
    terminal.printJson({ code, pupils, lessons: rows, files, ignored: table.ignored });
    return code;
  }
  printTable(table, terminal);
  if (details === true) for (const pupil of table.pupils) printPupil(pupil, terminal);
  return code;
}

function isFault({ use }: ClassFile): boolean {
  return use === 'altered' || use === 'unread';
}

const NAME_WIDTH = 32;
const LINE_WIDTH = 120;

/** At most two lines for each pupil. Names are strangers' text, so control characters are escaped. */
function printTable(table: ClassTable, terminal: Terminal): void {
  const paint = painter(terminal);
  const folder = commonFolder(table.pupils.map(({ name }) => name));
  const short = (name: string): string => visibleLine(name.slice(folder.length));
  const names = table.pupils.map(({ name }) => cut(short(name), NAME_WIDTH));
  const width = Math.max(...names.map(({ length }) => length), 5);
  const columns = table.lessons.map((lesson, at) =>
    Math.max(String(lesson).length, ...table.pupils.map(({ lessons }) => word(lessons[at]).length)),
  );
  const row = (cells: readonly string[]): string => cells.map((cell, at) => cell.padStart(columns[at] ?? 0)).join(' ');
  terminal.print(`${'Pupil'.padEnd(width)}  ${row(table.lessons.map(String))}  solved`);
  for (const [at, pupil] of table.pupils.entries()) {
    const cells = row(pupil.lessons.map(word));
    terminal.print(`${(names[at] ?? '').padEnd(width)}  ${cells}  ${pupil.solved} of ${table.lessons.length}`);
    const notes = [
      ...pupil.shared.map((each) => `= ${short(each.pupil)} (${each.runs} of ${each.of} runs)`),
      ...faultsOf(pupil),
    ];
    if (notes.length > 0) terminal.print(paint('bad', cut(`  ${visibleLine(notes.join('; '))}`, LINE_WIDTH)));
  }
  terminal.print(paint('soft', '\n✓ solved   1/3 tasks shown   – missing   = a run that another pupil handed in, too'));
  const faults = table.pupils.flatMap(({ files }) => files).filter(isFault).length;
  const whole = table.pupils.filter(({ solved }) => solved === table.lessons.length).length;
  const parts = [
    `${whole} of ${plural(table.pupils.length, 'pupil')} solved ${plural(table.lessons.length, 'lesson')}`,
    ...(faults === 0 ? [] : [`${plural(faults, 'file')} altered or not read`]),
    ...(table.ignored === 0 ? [] : [`${plural(table.ignored, 'file')} of other lessons ignored`]),
  ];
  terminal.print(paint(faults === 0 ? 'wait' : 'bad', `${parts.join(', ')}.`));
}

function word(cell: LessonCell | undefined): string {
  if (cell === undefined || cell.state === 'missing') return '–';
  if (cell.state === 'copied') return '=';
  return cell.solved ? '✓' : `${cell.tasks.filter(Boolean).length}/${cell.tasks.length}`;
}

function faultsOf({ name, files }: ClassPupil): readonly string[] {
  const faults = files.filter(isFault).map((file) => within(file.name, name));
  return faults.length === 0 ? [] : [`✕ ${plural(faults.length, 'file')} altered or not read: ${faults.join(', ')}`];
}

/** The name of a file without the name of its pupil. */
function within(file: string, pupil: string): string {
  return file.startsWith(pupil) && file !== pupil ? file.slice(pupil.length).replace(/^(?:: |[\\/])/u, '') : file;
}

/** Each file of a pupil, and what is not shown of each lesson. */
function printPupil({ name, files, lessons }: ClassPupil, terminal: Terminal): void {
  const paint = painter(terminal);
  terminal.print(`\n${visibleLine(name)}`);
  for (const { lesson, state, solved, tasks, shared } of lessons) {
    const missing = tasks.flatMap((isShown, at) => (isShown ? [] : [at + 1]));
    const what = solved ? 'solved' : state === 'missing' ? 'missing' : `not yet: tasks ${missing.join(', ')} not shown`;
    const copies = shared.length === 0 ? '' : `; the same runs as ${shared.map(visibleLine).join(', ')}`;
    const tone = shared.length > 0 || !solved ? 'wait' : 'good';
    terminal.print(`  ${paint(tone, `Lesson ${lesson}`)}  ${what}${copies}`);
  }
  for (const file of files) terminal.print(`  ${fileText(file, within(file.name, name), paint)}`);
}

function fileText({ use, report, fault = '' }: ClassFile, name: string, paint: ReturnType<typeof painter>): string {
  const verdict = report && verdictOf(report);
  const sentence = verdict === undefined ? `Not read: ${fault}` : sentenceOf(verdict, VERDICT_WORDS, counted);
  const tone = use === 'evidence' ? 'soft' : (verdict?.tone ?? 'bad');
  const mark = use === 'evidence' ? '•' : VERDICT_MARKS[verdict?.tone ?? 'bad'];
  const why = use === 'evidence' ? 'Falsified copy, as a lesson asks. ' : '';
  return `${paint(tone, mark)} ${visibleLine(name)}  ${why}${visibleLine(sentence)}`;
}

/** The folder that all names begin with, its slash included. */
function commonFolder(names: readonly string[]): string {
  const [first = ''] = names;
  let end = Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1;
  while (end > 0 && !names.every((name) => name.startsWith(first.slice(0, end))))
    end = Math.max(first.lastIndexOf('/', end - 2), first.lastIndexOf('\\', end - 2)) + 1;
  return first.slice(0, end);
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function plural(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
}
