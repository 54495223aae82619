import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { ApprovalAnswer, Runtime } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Audit } from '../audit/audit.ts';
import type { Trial } from '../lab/lab.ts';
import { type DraftUndo, openDraftUndo } from '../parts/draft-undo.ts';
import { storedText } from '../parts/local-storage.ts';
import type { Problem } from '../workshop/draft.ts';
import { isOfSource, sourceProblem } from '../workshop/source-problem.ts';
import { type Asking, type OpenSmallModel, openAsking } from './asking.ts';
import { type AuditedRun, openAuditedRun } from './audited-run.ts';
import { type LessonLab, type LessonLabFacts, openLessonLab } from './lesson-lab.ts';
import { openLessonTasks } from './lesson-tasks.ts';
import { type Lesson, ledgerShows } from './lessons/lesson.ts';
import type { Progress } from './progress.ts';

/** An open lesson: its lab, the sent texts, and the tasks that the ledger shows as done. */
export interface OpenLesson extends Pick<LessonLab, 'source' | 'lab' | 'rewritten'>, Pick<AuditedRun, 'anchor'> {
  readonly lesson: Lesson;
  readonly draft: Signal<string>;
  /** Keeps a typed draft that a starter, or what the small model says, has replaced. */
  readonly draftUndo: DraftUndo;
  readonly choice: ReadonlySignal<number>;
  readonly trials: ReadonlySignal<readonly Trial[]>;
  readonly busy: ReadonlySignal<boolean>;
  readonly trouble: ReadonlySignal<string | undefined>;
  /** The fault in the learner's source. */
  readonly fault: ReadonlySignal<Problem | undefined>;
  rewrite(): Promise<void>;
  predict(answer: number): void;
  send(): Promise<void>;
  answer(digest: string, answer: ApprovalAnswer): void;
  choose(choice: number): void;
  /** Starts another run, with the source as it stands. */
  restart(): Promise<void>;
  /** Looks through the page's own runs. */
  look(): Promise<void>;
  /** The small model of the lesson. */
  readonly asking: Asking | undefined;
  /** Asks the small model. What it says becomes the draft. */
  ask(): Promise<void>;
  close(): void;
}

export interface LessonFacts extends LessonLabFacts {
  readonly progress: Progress;
  readonly audit: Audit;
  readonly runtime: Runtime;
  readonly small: OpenSmallModel;
}

export function openLesson(lesson: Lesson, facts: LessonFacts): OpenLesson {
  const { progress, audit, runtime, small } = facts;
  const lessonLab = openLessonLab(lesson, facts);
  const tasks = openLessonTasks(lesson, progress);
  const audited = openAuditedRun(lesson, { audit, lab: lessonLab, tasks });
  const { lab, choice, source, rewritten, ready, drop } = lessonLab;
  const asking = lesson.asks === true ? openAsking(lesson, small) : undefined;
  const trials = signal<readonly Trial[]>([]);
  const busy = signal(false);
  const trouble = signal<string | undefined>(undefined);
  const fault = signal<Problem | undefined>(undefined);
  const draft = storedText(
    `sallyport.lesson.${lesson.number}`,
    lesson.asks === true ? '' : (lesson.starters[0]?.text ?? ''),
  );
  const draftUndo = openDraftUndo(draft, lesson.starters[0]?.text);
  let closed = false;

  const show = (error: unknown): void => {
    if (lesson.writes === true && isOfSource(error)) {
      fault.value = sourceProblem(error);
      // earlier trials used another source
      trials.value = [];
    } else if (!closed) trouble.value = sentenceOf(error);
  };

  /** Runs a single action at a time. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (busy.peek()) return;
    busy.value = true;
    trouble.value = undefined;
    fault.value = undefined;
    await work().catch(show);
    busy.value = false;
  };

  const send = async (text: string): Promise<void> => {
    const own = await ready();
    const trial = await own.propose(text);
    trials.value = [...trials.value, trial];
    tasks.noteRun(own.records.peek(), { id: own.id, file: await own.export() });
  };

  const look = async (): Promise<void> => {
    for (const { run_id, sealed } of await runtime.runs()) {
      const records = sealed ? await runtime.ledger.records(run_id) : [];
      if (!lesson.tasks.some((task) => ledgerShows(task, records))) continue;
      tasks.noteRun(records, { id: run_id, file: await runtime.ledger.export(run_id) });
      break;
    }
    if (lesson.opening !== undefined && tasks.isDone(0) && audited.anchor.peek() === '') await audited.make();
  };

  const ask = async (): Promise<void> => {
    await ready();
    await asking?.ask(await lessonLab.request(), draftUndo.put);
  };

  if (lesson.place === 'audit') void attempt(audited.make);
  if (lesson.place === 'page') void attempt(look);

  return {
    lesson,
    draft,
    draftUndo,
    source,
    choice,
    trials,
    busy,
    lab,
    trouble,
    fault,
    anchor: audited.anchor,
    rewritten,
    rewrite: () => attempt(lessonLab.rewrite),
    predict: (predicted) => progress.change(lesson.number, { predicted }),
    asking,
    ask: () => attempt(ask),
    send: () => {
      if (!busy.peek()) draftUndo.sent();
      return attempt(() => send(draft.peek()));
    },
    // It rejects for a question that was answered, or that has gone with its run.
    answer: (...said) =>
      void lab
        .peek()
        ?.answer(...said)
        .catch(() => undefined),
    choose: (next) => {
      choice.value = next;
      trials.value = [];
      drop();
    },
    restart: () =>
      attempt(async () => {
        drop();
        await ready();
      }),
    look: () => attempt(look),
    close: () => {
      closed = true;
      audited.close();
      asking?.close();
      lessonLab.close();
    },
  };
}
