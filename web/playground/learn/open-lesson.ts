import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { LedgerRecord, Report } from '../../../core/index.ts';
import type {
  ApprovalAnswer,
  CapabilityDefinition,
  Content,
  ModelPort,
  ModelRequest,
  Runtime,
} from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Audit } from '../audit/audit.ts';
import { type Lab, type LabOptions, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { type DraftUndo, openDraftUndo } from '../parts/draft-undo.ts';
import { storedText } from '../parts/local-storage.ts';
import type { Problem } from '../workshop/draft.ts';
import { isOfSource, sourceProblem } from '../workshop/source-problem.ts';
import { auditShows, type Lesson, ledgerShows, type Paper, type Task } from './lessons/lesson.ts';
import { type LessonProgress, NOT_BEGUN, type Progress } from './progress.ts';

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

/** The run that a lesson makes for the audit panel, where the learner then falsifies it. */
interface AuditedRun {
  /** The head of the run, as a person would have noted it outside the file; empty before there is a run. */
  readonly anchor: ReadonlySignal<string>;
  make(): Promise<void>;
  /** Stops marking tasks. */
  close(): void;
}

interface AuditedRunFacts {
  readonly audit: Audit;
  readonly lab: Pick<LessonLab, 'ready' | 'drop'>;
  readonly tasks: LessonTasks;
}

function openAuditedRun(lesson: Lesson, { audit, lab, tasks }: AuditedRunFacts): AuditedRun {
  const anchor = signal('');
  let exported: RunFile | undefined;

  const close = effect(() => {
    const { value: report } = audit.report;
    const last = audit.last.value?.word;
    if (anchor.value === '' || exported === undefined) return;
    const made = exported;
    const open = audit.file.peek();
    // a text that was falsified meanwhile is noted with its own report
    void audit.text().then((text) => audit.file.peek() === open && tasks.noteAudit({ last, report, text }, made));
  });

  return {
    anchor,
    close,
    /** Makes a short run of the lesson's own, and notes its head before the file is changed. */
    make: async () => {
      const own = await lab.ready();
      for (const text of lesson.opening ?? []) await own.propose(text);
      const file = await own.seal();
      await audit.openFile(new File([file], `lesson-${lesson.number}.run.jsonl`));
      const records = own.records.peek();
      anchor.value = `${records.length}:${records.at(-1)?.hash ?? ''}`;
      audit.anchorText.value = anchor.peek();
      exported = { id: own.id, file };
      lab.drop();
    },
  };
}

/** Opens the small model, held to the form of a proposal or not. */
export type OpenSmallModel = (held: boolean) => Promise<ModelPort & { close?(): void }>;

/** The small model of a lesson: the learner gives it an order, and it says a proposal. */
interface Asking {
  readonly order: Signal<string>;
  /** Keeps a typed order that a starter has replaced. */
  readonly orderUndo: DraftUndo;
  readonly held: Signal<boolean>;
  /** Calls `say` with all that the model has said so far, while it says it. */
  ask(request: ModelRequest, say: (text: string) => void): Promise<void>;
  close(): void;
}

function openAsking(lesson: Lesson, open: OpenSmallModel): Asking {
  const first = lesson.starters[0]?.text ?? '';
  const order = storedText(`sallyport.lesson.${lesson.number}.order`, first);
  const held = signal(true);
  const models = new Map<boolean, ReturnType<OpenSmallModel>>();
  const closing = new AbortController();

  const modelFor = (isHeld: boolean): ReturnType<OpenSmallModel> => {
    const model = models.get(isHeld) ?? open(isHeld);
    models.set(isHeld, model);
    // a model that could not be loaded is loaded anew
    model.catch(() => models.delete(isHeld));
    return model;
  };

  return {
    order,
    held,
    orderUndo: openDraftUndo(order, first),
    ask: async (request, say) => {
      const model = await modelFor(held.peek());
      let said = '';
      say(said);
      const onText = (text: string): void => {
        said += text;
        say(said);
      };
      const asked = { ...request, messages: [{ role: 'user', kind: 'task', content: order.peek() }] as const };
      const { text } = await model.propose(asked, { signal: closing.signal, onText });
      say(typeof text === 'string' ? text : new TextDecoder().decode(text));
    },
    close: () => {
      closing.abort();
      for (const model of models.values()) model.then((open) => open.close?.()).catch(() => undefined);
    },
  };
}

/** An export with the id of its run. */
interface RunFile {
  readonly id: string;
  readonly file: string;
}

/** The state of an audited file: the last falsification, the report, and the text that the report is about. */
interface AuditedState {
  readonly last: string | undefined;
  readonly report: Report | undefined;
  readonly text: string;
}

/** The tasks of a lesson. A task is marked as done by a run that shows it, which is stored as evidence. */
interface LessonTasks {
  isDone(task: number): boolean;
  /** Marks the tasks that these records show, and stores the run. */
  noteRun(records: readonly LedgerRecord[], run: RunFile): void;
  /** Marks the tasks that an audit of this run shows, and stores the run with the learner's copies of it. */
  noteAudit(audited: AuditedState, run: RunFile): void;
}

function openLessonTasks(lesson: Lesson, progress: Progress): LessonTasks {
  const reached = (): LessonProgress => progress.lessons.peek().get(lesson.number) ?? NOT_BEGUN;

  const newlyDone = (shows: (task: Task) => boolean): readonly number[] => {
    const { done } = reached();
    return lesson.tasks.flatMap((task, i) => (!done.includes(i) && shows(task) ? [i] : []));
  };

  const mark = (tasks: readonly number[], files: LessonProgress['evidence']): void => {
    const { done, evidence } = reached();
    progress.change(lesson.number, { done: [...done, ...tasks], evidence: { ...evidence, ...files } });
  };

  return {
    isDone: (task) => reached().done.includes(task),
    noteRun: (records, { id, file }) => {
      const tasks = newlyDone((task) => ledgerShows(task, records));
      if (tasks.length > 0 || reached().evidence[id] !== undefined) mark(tasks, { [id]: file });
    },
    noteAudit: ({ last, report, text }, { id, file }) => {
      const tasks = newlyDone((task) => auditShows(task, last, report));
      if (tasks.length === 0) return;
      const copies = last === undefined ? [] : tasks.map((task) => [`${id} ${task}`, text] as const);
      mark(tasks, { [id]: file, ...Object.fromEntries(copies) });
    },
  };
}

/** The lab of a lesson: it opens with the first action that needs it, and opens anew where its run has ended. */
interface LessonLab {
  readonly lab: ReadonlySignal<Lab | undefined>;
  /** Index of the chosen grants. */
  readonly choice: Signal<number>;
  readonly source: Signal<string>;
  /** The lesson's paper has been changed. */
  readonly rewritten: ReadonlySignal<boolean>;
  ready(): Promise<Lab>;
  /** The newest request of the run to its model. */
  request(): Promise<ModelRequest>;
  /** Closes the lab; the next `ready` opens another. */
  drop(): void;
  /** Changes the paper: the content is indexed again, and the run goes on. */
  rewrite(): Promise<void>;
  /** Closes the lab for good, one that is still opening too. */
  close(): void;
}

interface LessonLabFacts {
  readonly open: OpenRuntime;
  readonly catalogue: readonly CapabilityDefinition[];
  /** The scenario's papers, by path. */
  readonly files: { readonly [path: string]: string };
}

function openLessonLab(lesson: Lesson, { open, catalogue, files }: LessonLabFacts): LessonLab {
  const lab = signal<Lab | undefined>(undefined);
  const hearing = hearRequests(open);
  const choice = signal(0);
  const source = storedText(`sallyport.lesson.${lesson.number}.source`, lesson.own?.[0]?.source ?? '');
  const rewritten = signal(false);
  const { paper } = lesson;
  const paperText = files[paper?.path ?? ''] ?? '';
  let closed = false;

  const drop = (): void => {
    const old = lab.peek();
    lab.value = undefined;
    rewritten.value = false;
    void old?.close().catch(() => undefined);
  };

  const options = (): LabOptions => ({
    capabilities: capabilitiesOf(lesson, catalogue, source.peek()),
    grants: lesson.choices?.[choice.peek()]?.grants ?? lesson.grants,
    guard: lesson.choices?.[choice.peek()]?.guard ?? true,
    ...(lesson.tools && { tools: lesson.tools }),
    limits: { steps: 1000, refusalsInRow: 1000 },
    dialect: lesson.dialect ?? 'xct',
    task: lesson.task,
    ...(lesson.budgets && { budgets: lesson.budgets }),
    ...(paper && { prepare: (runtime: Runtime) => addPaper(runtime.content, paper, paperText) }),
  });

  const ready = async (): Promise<Lab> => {
    if (lab.peek()?.view.peek().end !== undefined) drop();
    lab.value ??= await openLab(hearing.open, options());
    if (closed) drop();
    return lab.value ?? ready();
  };

  return {
    lab,
    request: hearing.request,
    choice,
    source,
    rewritten,
    ready,
    drop,
    rewrite: async () => {
      if (paper === undefined) return;
      const own = await ready();
      rewritten.value = true;
      await own.runtime.content.add([sourceOf(paper.path, paperText.replace(paper.change.from, paper.change.to))]);
    },
    close: () => {
      closed = true;
      drop();
    },
  };
}

/** The named capabilities of the catalogue and the lesson's own, with the learner's source where the lesson asks for it. */
function capabilitiesOf(
  lesson: Lesson,
  catalogue: readonly CapabilityDefinition[],
  source: string,
): readonly CapabilityDefinition[] {
  const named = catalogue.filter(({ name }) => lesson.capabilities.includes(name));
  const own = (lesson.own ?? []).map((each, i) => (i === 0 && lesson.writes === true ? { ...each, source } : each));
  return [...named, ...own];
}

const sourceOf = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });

/** The paper as content, and its symbols: each for the file, or for a section by its id, which is of this very text. */
async function addPaper(content: Content, { path, symbols }: Paper, text: string): Promise<void> {
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

/** Opens runtimes, and hears what their runs ask their models. */
function hearRequests(open: OpenRuntime): {
  readonly open: OpenRuntime;
  /** The newest request; waits for the first. */
  request(): Promise<ModelRequest>;
} {
  let newest: ModelRequest | undefined;
  let tell: ((request: ModelRequest) => void)[] = [];
  const hear = (request: ModelRequest): void => {
    newest = request;
    for (const each of tell.splice(0)) each(request);
  };
  return {
    request: () => (newest ? Promise.resolve(newest) : new Promise((resolve) => (tell = [...tell, resolve]))),
    open: async (options) => {
      newest = undefined;
      const runtime = await open(options);
      return {
        ...runtime,
        start: ({ model, ...rest }) =>
          runtime.start({
            ...rest,
            model: { ...model, propose: (request, io) => (hear(request), model.propose(request, io)) },
          }),
      };
    },
  };
}
