import { describe, expect, it } from 'vitest';
import { parseExport } from '../../../../core/ledger/export.ts';
import { verifyExport } from '../../../../core/ledger/verify.ts';
import { type HandedInFile, tasksShown } from '../../../../core/lesson/solve.ts';
import { messageOf } from '../../../../web/playground/demo/scenario.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';
import { ledgerShows } from '../../../../web/playground/learn/lessons/lesson.ts';
import { spoken } from '../../texts/spoken.ts';
import { begin, play } from './play-lesson.ts';

const IN_LABS = LESSONS.filter(({ place }) => place !== 'page');

describe('a lesson', () => {
  it('the lessons are sixteen, numbered in order, each with a prediction that has an answer', () => {
    expect(LESSONS.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    for (const { predict } of LESSONS) expect(predict.answers[predict.right]).toBeDefined();
  });

  it.each(LESSONS.map((lesson) => [lesson.title, lesson] as const))(
    'a lesson has a word for each of its parts, in the language of the moment it is read: %s',
    (title, lesson) => {
      const words = (): readonly string[] => [
        lesson.title,
        lesson.goal,
        lesson.why,
        ...lesson.tasks.map(({ say }) => say),
        ...lesson.starters.map(({ word }) => word),
        ...(lesson.choices ?? []).map(({ word }) => word),
      ];
      const english = words();
      expect(english).not.toContain('');
      spoken('de');
      expect(words()).not.toContain('');
      expect(lesson.title).not.toBe(title);
      expect(words()).toHaveLength(english.length);
    },
  );

  it.each(LESSONS.map((lesson) => [lesson.title, lesson] as const))(
    'the ledger records the task of a lesson in English, and its proposals as they are: %s',
    (title, lesson) => {
      const sent = lesson.starters.map(({ text }) => text);
      spoken('de');
      expect(lesson.task).toBe(title);
      expect(lesson.starters.map(({ text }) => text)).toEqual(sent);
    },
  );

  it.each(IN_LABS.map((lesson) => [lesson.title, lesson.number] as const))(
    'a lesson is solved by its answer key, and its evidence verifies: %s',
    async (_, number) => {
      const begun = begin(number);
      await play(begun);
      expect(begun.opened.trouble.value).toBeUndefined();
      expect((begun.now()?.done ?? []).toSorted((a, b) => a - b)).toEqual(begun.lesson.tasks.map((_, i) => i));
      const files = Object.values(begun.now()?.evidence ?? {});
      expect(files.length).toBeGreaterThan(0);
      // Beside the audited run, each task has a copy in its falsified form.
      const copies = begun.lesson.tasks.filter(({ audit }) => audit?.last !== undefined).length;
      expect(files.length).toBeGreaterThan(copies);
      for (const file of copies > 0 ? files.slice(0, 1) : files) expect(verifyExport(file)).toMatchObject({ ok: true });
      const handed = files.map((text): HandedInFile => {
        const { run_id, records } = parseExport(text);
        const others = files
          .filter((other) => other !== text && verifyExport(other).ok)
          .map((other) => verifyExport(other));
        const against = others.map((other) =>
          verifyExport(text, { anchor: { count: other.records, head: other.head } }),
        );
        const lines = records.flatMap((line) => (line === undefined ? [] : [line.record]));
        return { run_id, records: lines, report: verifyExport(text), against };
      });
      expect(tasksShown(begun.lesson.tasks, handed)).toEqual(begun.lesson.tasks.map(() => true));
      begun.opened.close();
    },
  );

  it.each(IN_LABS.filter(({ place }) => place === undefined).map((lesson) => [lesson.title, lesson] as const))(
    'a task of a lesson is not shown by an empty ledger: %s',
    (_, lesson) => {
      for (const task of lesson.tasks) expect(ledgerShows(task, [])).toBe(false);
    },
  );

  it.each([1, 8])('a lesson goes on in another run after a student has ended its run: lesson %i', async (number) => {
    const begun = begin(number);
    const { opened, lesson } = begun;
    opened.draft.value = '{"done":true,"message":"Am I done?"}';
    if (lesson.dialect === 'catalytic') {
      await opened.rewrite();
      opened.draft.value = JSON.stringify(messageOf({ kind: 'finish', message: 'Am I done?' }));
    }
    await opened.send();
    expect(opened.lab.value?.view.value.end).toBeDefined();
    await play(begun);
    expect(opened.trouble.value).toBeUndefined();
    expect(begun.now()?.done).toHaveLength(lesson.tasks.length);
    opened.close();
  });

  it('the tasks of a lesson can be judged again from the evidence file alone', async () => {
    const begun = begin(5);
    await play(begun);
    const [file] = Object.values(begun.now()?.evidence ?? {});
    const records = parseExport(file ?? '').records.flatMap((line) => (line === undefined ? [] : [line.record]));
    expect(begun.lesson.tasks.map((task) => ledgerShows(task, records))).toEqual([true, true]);
    const unanswered = records.filter(({ kind }) => kind !== 'approval');
    expect(begun.lesson.tasks.map((task) => ledgerShows(task, unanswered))).toEqual([false, false]);
    begun.opened.close();
  });
});
