import type { Report } from '../../core/ledger/checks.ts';
import {
  asksReplay,
  type CheckedFile,
  type ClassTable,
  classTable,
  countsFor,
  type PupilWork,
  workOf,
} from '../../core/lesson/class.ts';
import { type Group, type InputFile, textOf } from './handed-in.ts';

/** All checks of an export, with or without the replay of its calls. */
export type CheckText = (text: string, replay: boolean) => Promise<Report>;

/** As many files of a pupil are checked at a time, which keeps the sandboxes busy. */
const AT_A_TIME = 4;

/**
 * The table of a class: every file is checked, except the files whose names tell another lesson. A group of files is a
 * pupil. `onFile` is called after each file. Rejects as `check` does, which is how a caller ends it early.
 */
export async function checkClass(
  groups: AsyncIterable<Group> | Iterable<Group>,
  lessons: readonly number[],
  check: CheckText,
  onFile: (file: { readonly name: string; readonly nth: number; readonly of: number }) => void = () => undefined,
): Promise<ClassTable> {
  const pupils: PupilWork[] = [];
  const checked = async (file: InputFile): Promise<CheckedFile> => {
    if ('fault' in file) return file;
    const { name } = file;
    const text = await textOf(file.bytes);
    const replay = lessons.some((lesson) => asksReplay(lesson) && countsFor(file, lesson));
    return { name, text, report: await check(text, replay) };
  };
  for await (const { name, files } of groups) {
    const own = files.filter((file) => lessons.some((lesson) => countsFor(file, lesson)));
    const results: CheckedFile[] = [];
    for (let at = 0; at < own.length; at += AT_A_TIME) {
      results.push(...(await Promise.all(own.slice(at, at + AT_A_TIME).map(checked))));
      onFile({ name, nth: results.length, of: own.length });
    }
    pupils.push(workOf(name, results, lessons, files.length - own.length));
  }
  return classTable(pupils, lessons);
}
