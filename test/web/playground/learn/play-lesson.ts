import { readFileSync } from 'node:fs';
import { openAudit } from '../../../../web/playground/audit/audit.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { TAMPERINGS } from '../../../../web/playground/files/tampering.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';
import { openLesson } from '../../../../web/playground/learn/open-lesson.ts';
import { openProgress } from '../../../../web/playground/learn/progress.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromSmallModel } from '../../../../workers/bridges/models/small/small-model.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { localFiles } from '../files/local-files.ts';

const WEIGHTS = new Uint8Array(readFileSync('workers/bridges/models/small/weights.bin'));
const NO_RUNS = { runs: async () => [] } as unknown as Runtime;

/** A lesson without its page, driven as its view drives it. */
export function begin(number: number) {
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

export type Begun = ReturnType<typeof begin>;

/** Waits until `reached` returns true. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Waits until the checks of the open text are made and its tasks are judged: a person acts on what is shown. */
async function judged(audit: Begun['audit']): Promise<void> {
  await until(() => audit.report.value !== undefined);
  await new Promise((turn) => setTimeout(turn, 20));
}

/** Makes the moves of the lesson's answer key. */
export async function play({ lesson, audit, opened }: Begun): Promise<void> {
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
