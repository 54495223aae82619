import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseExport } from '../../../../core/ledger/export.ts';
import { verifyExport } from '../../../../core/ledger/verify.ts';
import { type HandedInFile, tasksShown } from '../../../../core/lesson/solve.ts';
import { openAudit } from '../../../../web/playground/audit/audit.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery, messageOf } from '../../../../web/playground/demo/scenario.ts';
import { TAMPERINGS } from '../../../../web/playground/files/tampering.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';
import { ledgerShows } from '../../../../web/playground/learn/lessons/lesson.ts';
import { openLesson } from '../../../../web/playground/learn/open-lesson.ts';
import { openProgress } from '../../../../web/playground/learn/progress.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromSmallModel } from '../../../../workers/bridges/models/small/small-model.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { spoken } from '../../texts/spoken.ts';
import { localFiles } from '../files/local-files.ts';

const WEIGHTS = new Uint8Array(readFileSync('workers/bridges/models/small/weights.bin'));
const NO_RUNS = { runs: async () => [] } as unknown as Runtime;

/** A lesson without its page, driven as its view drives it. */
function begin(number: number) {
  const lesson = LESSONS[number - 1];
  if (lesson === undefined) throw new Error(`no lesson ${number}`);
  const progress = openProgress();
  const audit = openAudit(NO_RUNS, localFiles());
  const { capabilities: catalogue } = bakery('xct');
  const facts = { catalogue, progress, audit, runtime: NO_RUNS, files: CORPUS };
  const small = async (constrained: boolean) => fromSmallModel(WEIGHTS, { constrained });
  const opened = openLesson(lesson, { ...facts, open: openRuntime, small });
  return { lesson, progress, audit, opened, now: () => progress.lessons.value.get(number) };
}

type Begun = ReturnType<typeof begin>;

/** Waits until `reached` returns true. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function play({ lesson, audit, opened }: Begun): Promise<void> {
  let sending: Promise<void> = Promise.resolve();
  for (const move of lesson.key) {
    if ('answer' in move) {
      await until(() => opened.lab.value?.view.value.pending !== undefined);
      const digest = opened.lab.value?.view.value.pending?.digest ?? '';
      const { answer, reason = '' } = move;
      opened.answer(digest, answer === 'approve' ? { approved: true } : { approved: false, reason });
      continue;
    }
    await sending;
    if ('send' in move) {
      opened.draft.value = move.send;
      sending = opened.send();
    }
    if ('ask' in move && opened.asking !== undefined) {
      opened.asking.order.value = move.ask;
      opened.asking.held.value = move.held;
      await opened.ask();
      sending = opened.send();
    }
    if ('choice' in move) opened.choose(move.choice);
    if ('source' in move) {
      opened.source.value = move.source;
      await opened.restart();
    }
    if ('rewrite' in move) await opened.rewrite();
    if ('tamper' in move) {
      await until(() => opened.anchor.value !== '');
      audit.undo();
      audit.seq.value = 5;
      const tampering = TAMPERINGS.find(({ word }) => word === move.tamper);
      if (tampering !== undefined) await audit.tamper(tampering);
      await judged(audit);
    }
    if ('anchor' in move) {
      await until(() => opened.anchor.value !== '');
      audit.anchorText.value = move.anchor === 'clear' ? '' : opened.anchor.value;
      await judged(audit);
    }
  }
  await sending;
}

/** Waits until the checks of the open text are made and its tasks are judged: a person acts on what is shown. */
async function judged(audit: ReturnType<typeof openAudit>): Promise<void> {
  await until(() => audit.report.value !== undefined);
  await new Promise((turn) => setTimeout(turn, 20));
}

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
