import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { ApprovalAnswer, CapabilityDefinition, Content, Runtime } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Audit } from '../audit/audit.ts';
import { type Lab, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { storedText } from '../parts/local-storage.ts';
import type { Problem } from '../workshop/draft.ts';
import { isOfSource, sourceProblem } from '../workshop/source-problem.ts';
import { auditShows, type Lesson, ledgerShows, type Paper } from './lessons/lesson.ts';
import { NOT_BEGUN, type Progress } from './progress.ts';

/** An open lesson: its lab, the sent texts, and the tasks that the ledger shows as done. */
export interface OpenLesson {
  readonly lesson: Lesson;
  readonly draft: Signal<string>;
  readonly source: Signal<string>;
  readonly choice: ReadonlySignal<number>;
  readonly trials: ReadonlySignal<readonly Trial[]>;
  readonly busy: ReadonlySignal<boolean>;
  readonly lab: ReadonlySignal<Lab | undefined>;
  readonly trouble: ReadonlySignal<string | undefined>;
  /** The fault in the learner's source. */
  readonly fault: ReadonlySignal<Problem | undefined>;
  /** The head of the audited run, as a person would have noted it outside the file. */
  readonly anchor: ReadonlySignal<string>;
  /** The lesson's paper has been changed. */
  readonly rewritten: ReadonlySignal<boolean>;
  rewrite(): Promise<void>;
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
  /** The scenario's papers, by path. */
  readonly files: { readonly [path: string]: string };
}

export function openLesson(lesson: Lesson, facts: LessonFacts): OpenLesson {
  const { open, catalogue, progress, audit, runtime } = facts;
  const paperText = facts.files[lesson.paper?.path ?? ''] ?? '';
  const lab = signal<Lab | undefined>(undefined);
  const trials = signal<readonly Trial[]>([]);
  const busy = signal(false);
  const trouble = signal<string | undefined>(undefined);
  const fault = signal<Problem | undefined>(undefined);
  const choice = signal(0);
  const anchor = signal('');
  const draft = storedText(`sallyport.lesson.${lesson.number}`, lesson.starters[0]?.text ?? '');
  const source = storedText(`sallyport.lesson.${lesson.number}.source`, lesson.own?.[0]?.source ?? '');
  const rewritten = signal(false);
  /** The run that is audited, as it was exported. */
  let opened: { readonly id: string; readonly file: string } | undefined;
  let closed = false;

  function capabilities(): readonly CapabilityDefinition[] {
    const named = catalogue.filter(({ name }) => lesson.capabilities.includes(name));
    const [first, ...rest] = lesson.own ?? [];
    const written = lesson.writes === true ? { source: source.peek() } : {};
    return [...named, ...(first === undefined ? [] : [{ ...first, ...written }]), ...rest];
  }

  /** The lab, opened with the first thing that needs it, and anew where its run was brought to its end. */
  async function ready(): Promise<Lab> {
    if (lab.peek()?.view.peek().end !== undefined) drop();
    const grants = lesson.choices?.[choice.peek()]?.grants ?? lesson.grants;
    const limits = { steps: 1000, refusalsInRow: 1000 };
    const { dialect = 'xct', budgets, paper } = lesson;
    const more = {
      ...(budgets && { budgets }),
      ...(paper && { prepare: (runtime: Runtime) => addPapers(runtime.content, paper, paperText) }),
    };
    const options = { capabilities: capabilities(), grants, limits, dialect, task: lesson.title, ...more };
    lab.value ??= await openLab(open, options);
    if (closed) drop();
    return lab.value ?? ready();
  }

  function drop(): void {
    const old = lab.peek();
    lab.value = undefined;
    rewritten.value = false;
    void old?.close().catch(() => undefined);
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    if (busy.peek()) return;
    busy.value = true;
    trouble.value = undefined;
    fault.value = undefined;
    try {
      await work();
    } catch (error) {
      if (lesson.writes === true && isOfSource(error)) {
        fault.value = sourceProblem(error);
        // earlier trials used another source
        trials.value = [];
      } else if (!closed) trouble.value = sentenceOf(error);
    }
    busy.value = false;
  }

  /** Marks the tasks that these records show as done, and stores the run as evidence. */
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

  /** For the audit: makes a short run of the lesson's own, and notes its head before the file is changed. */
  async function makeRun(): Promise<void> {
    const own = await ready();
    for (const text of lesson.opening ?? []) await own.propose(text);
    const file = await own.seal();
    await audit.openFile(new File([file], `lesson-${lesson.number}.run.jsonl`));
    const records = own.records.peek();
    anchor.value = `${records.length}:${records.at(-1)?.hash ?? ''}`;
    audit.anchorText.value = anchor.peek();
    opened = { id: own.id, file };
    drop();
  }

  const stop = effect(() => {
    const { value: report } = audit.report;
    const last = audit.last.value?.word;
    if (anchor.value === '' || opened === undefined) return;
    const { done, evidence } = progress.lessons.peek().get(lesson.number) ?? NOT_BEGUN;
    const shown = lesson.tasks.flatMap((task, i) => (!done.includes(i) && auditShows(task, last, report) ? [i] : []));
    if (shown.length === 0) return;
    // the run, and the learner's copies of it
    const copies = last === undefined ? [] : shown.map((task) => [`${opened?.id} ${task}`, audit.text.peek()] as const);
    const pieces = { [opened.id]: opened.file, ...Object.fromEntries(copies) };
    progress.change(lesson.number, { done: [...done, ...shown], evidence: { ...evidence, ...pieces } });
  });

  async function look(): Promise<void> {
    for (const { run_id, sealed } of await runtime.runs()) {
      const records = sealed ? await runtime.ledger.records(run_id) : [];
      if (!lesson.tasks.some((task) => ledgerShows(task, records))) continue;
      note(records, run_id, await runtime.ledger.export(run_id));
      break;
    }
    const { done } = progress.lessons.peek().get(lesson.number) ?? NOT_BEGUN;
    if (lesson.opening !== undefined && done.includes(0) && anchor.peek() === '') await makeRun();
  }

  /** Changes the paper: the content is indexed again, and the run goes on. */
  async function rewrite(): Promise<void> {
    const { paper } = lesson;
    if (paper === undefined) return;
    const own = await ready();
    rewritten.value = true;
    await own.runtime.content.add([sourceOf(paper.path, paperText.replace(paper.change.from, paper.change.to))]);
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
    fault,
    anchor,
    rewritten,
    rewrite: () => attempt(rewrite),
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

const sourceOf = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });

/** The paper as content, and its symbols: each for the file, or for a section by its id, which is of this very text. */
async function addPapers(content: Content, { path, symbols }: Paper, text: string): Promise<void> {
  await content.add([sourceOf(path, text)]);
  const sections = await content.sections(path);
  for (const [symbol_id, headings] of Object.entries(symbols)) {
    const id = sections.find(({ heading_path }) => heading_path.join('\n') === headings.join('\n'))?.section_id;
    const target =
      id === undefined
        ? { target_type: 'FILE' as const, target_ref: path }
        : { target_type: 'SECTION' as const, target_ref: id };
    await content.define({ symbol_id, ...target, default_slice_policy: 'head(3)' });
  }
}
