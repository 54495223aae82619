import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../core/index.ts';
import type { ApprovalAnswer, CapabilityDefinition, Runtime } from '../../workers/api.ts';
import { type Lab, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { auditShows, type Lesson, ledgerShows } from '../lessons/lesson.ts';
import type { Audit } from './audit.ts';
import { NOT_BEGUN, type Progress } from './progress.ts';
import { sentenceOf } from './trouble.ts';

/** One lesson that is being done: its lab, what was sent, and which tasks the ledger says are done. */
export interface OpenLesson {
  readonly lesson: Lesson;
  readonly draft: Signal<string>;
  readonly source: Signal<string>;
  readonly choice: ReadonlySignal<number>;
  readonly trials: ReadonlySignal<readonly Trial[]>;
  readonly busy: ReadonlySignal<boolean>;
  readonly lab: ReadonlySignal<Lab | undefined>;
  readonly trouble: ReadonlySignal<string | undefined>;
  /** The head of the run that is audited, as it would have been noted elsewhere. */
  readonly anchor: ReadonlySignal<string>;
  predict(answer: number): void;
  send(): Promise<void>;
  answer(answer: ApprovalAnswer): void;
  choose(choice: number): void;
  /** Starts another run, with the source as it stands. */
  restart(): Promise<void>;
  /** Looks through the page's own runs. */
  look(): Promise<void>;
  close(): void;
}

export interface LessonFacts {
  readonly open: OpenRuntime;
  readonly catalogue: readonly CapabilityDefinition[];
  readonly progress: Progress;
  readonly audit: Audit;
  readonly runtime: Runtime;
}

export function openLesson(lesson: Lesson, { open, catalogue, progress, audit, runtime }: LessonFacts): OpenLesson {
  const lab = signal<Lab | undefined>(undefined);
  const trials = signal<readonly Trial[]>([]);
  const busy = signal(false);
  const trouble = signal<string | undefined>(undefined);
  const choice = signal(0);
  const anchor = signal('');
  const draft = signal(lesson.starters[0]?.text ?? '');
  const source = signal(lesson.own?.[0]?.source ?? '');
  let closed = false;

  function capabilities(): readonly CapabilityDefinition[] {
    const named = catalogue.filter(({ name }) => lesson.capabilities.includes(name));
    const [first, ...rest] = lesson.own ?? [];
    const written = lesson.writes === true ? { source: source.peek() } : {};
    return [...named, ...(first === undefined ? [] : [{ ...first, ...written }]), ...rest];
  }

  /** The lab, opened with the first thing that needs it. */
  async function ready(): Promise<Lab> {
    const grants = lesson.choices?.[choice.peek()]?.grants ?? lesson.grants;
    const limits = { steps: 1000, refusalsInRow: 1000 };
    lab.value ??= await openLab(open, { capabilities: capabilities(), grants, limits, task: lesson.title });
    if (closed) drop();
    return lab.value ?? ready();
  }

  function drop(): void {
    const old = lab.peek();
    lab.value = undefined;
    void old?.close().catch(() => undefined);
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    if (busy.peek()) return;
    busy.value = true;
    trouble.value = undefined;
    try {
      await work();
    } catch (error) {
      if (!closed) trouble.value = sentenceOf(error);
    }
    busy.value = false;
  }

  /** Ticks off what these records show, and keeps the run that shows it. */
  function note(records: readonly LedgerRecord[], run_id: string, file: string): void {
    const { done, evidence } = progress.lessons.peek().get(lesson.number) ?? NOT_BEGUN;
    const shown = lesson.tasks.flatMap((task, i) => (!done.includes(i) && ledgerShows(task, records) ? [i] : []));
    if (shown.length === 0 && evidence[run_id] === undefined) return;
    progress.change(lesson.number, { done: [...done, ...shown], evidence: { ...evidence, [run_id]: file } });
  }

  async function send(text: string): Promise<void> {
    const own = await ready();
    const trial = await own.propose(text);
    trials.value = [...trials.value, trial];
    note(own.records.peek(), own.id, await own.export());
  }

  /** For the audit: a short run of the lesson's own, and its head, noted before anybody touches the file. */
  async function makeRun(): Promise<void> {
    const own = await ready();
    for (const text of lesson.opening ?? []) await own.propose(text);
    const file = await own.seal();
    await audit.openFile(new File([file], `lesson-${lesson.number}.run.jsonl`));
    const records = own.records.peek();
    anchor.value = `${records.length}:${records.at(-1)?.hash ?? ''}`;
    audit.anchorText.value = anchor.peek();
    progress.change(lesson.number, { evidence: { [own.id]: file } });
    drop();
  }

  const stop = effect(() => {
    const { value: report } = audit.report;
    const last = audit.last.value?.word;
    if (lesson.place !== 'audit' || anchor.value === '') return;
    const { done } = progress.lessons.peek().get(lesson.number) ?? NOT_BEGUN;
    const shown = lesson.tasks.flatMap((task, i) => (!done.includes(i) && auditShows(task, last, report) ? [i] : []));
    if (shown.length > 0) progress.change(lesson.number, { done: [...done, ...shown] });
  });

  async function look(): Promise<void> {
    for (const { run_id, sealed } of await runtime.runs()) {
      const records = sealed ? await runtime.ledger.records(run_id) : [];
      if (lesson.tasks.some((task) => ledgerShows(task, records)))
        return note(records, run_id, await runtime.ledger.export(run_id));
    }
  }

  if (lesson.place === 'audit') void attempt(makeRun);
  if (lesson.place === 'page') void attempt(look);

  return {
    lesson,
    draft,
    source,
    choice,
    trials,
    busy,
    lab,
    trouble,
    anchor,
    predict: (predicted) => progress.change(lesson.number, { predicted }),
    send: () => attempt(() => send(draft.peek())),
    answer: (said) => void lab.peek()?.answer(said),
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
      stop();
      drop();
    },
  };
}
