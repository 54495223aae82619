import { parseExport } from '../../../../core/ledger/export.ts';
import { TAMPERINGS } from '../../../../web/playground/files/tampering.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';
import { begin, play } from './play-lesson.ts';
import { withRunId } from './with-run-id.ts';

/** Runs of a lesson that was solved by its answer key, without its falsified copies. */
export type RecordedLessons = ReadonlyMap<number, readonly string[]>;

/** Files of a pupil, by name, as *Save all evidence* puts them into a zip. */
export interface PupilFiles {
  readonly [name: string]: string;
}

/** Plays these lessons once. */
export async function recordLessons(lessons: readonly number[]): Promise<RecordedLessons> {
  const recorded = new Map<number, readonly string[]>();
  for (const lesson of lessons) {
    const begun = begin(lesson);
    await play(begun);
    const evidence = Object.entries(begun.now()?.evidence ?? {});
    // a falsified copy is named by its run and its task
    recorded.set(
      lesson,
      evidence.flatMap(([name, text]) => (name.includes(' ') ? [] : [text])),
    );
    begun.opened.close();
  }
  return recorded;
}

/** The evidence of another pupil: the same lessons in runs of that pupil's own, and copies falsified as they ask. */
export function filesOfPupil(nth: number, recorded: RecordedLessons): PupilFiles {
  const files: [string, string][] = [];
  for (const [lesson, texts] of recorded) {
    const own = texts.map((text, at) => withRunId(text, nth, at));
    const copies = (LESSONS[lesson - 1]?.tasks ?? []).flatMap(({ audit }) => {
      const falsify = TAMPERINGS.find(({ word }) => word === audit?.last);
      return falsify === undefined ? [] : [falsify.apply({ text: own[0] ?? '', file: parseExport(own[0] ?? '') }, 5)];
    });
    for (const [at, text] of [...own, ...copies].entries())
      files.push([`lesson-${lesson}${at === 0 ? '' : `.${at + 1}`}.run.jsonl`, text]);
  }
  return Object.fromEntries(files);
}
