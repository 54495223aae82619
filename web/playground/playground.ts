import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Run, RunRow, Runtime, RuntimeInfo } from '../../workers/api.ts';
import { loadPart } from '../../workers/load-part.ts';
import { sentenceOf } from '../shared/error-text.ts';
import { run as texts } from '../texts/en/run.ts';
import { shell } from '../texts/en/shell.ts';
import { type Audit, openAudit } from './audit/audit.ts';
import { type CatalogueState, openCatalogue } from './capabilities/catalogue.ts';
import { ownCapabilities } from './capabilities/own-capabilities.ts';
import { type CorpusState, openCorpus } from './corpus/corpus.ts';
import { filesIn, type OwnFiles, openOwnFiles } from './corpus/own-files.ts';
import { type EndpointState, openEndpoint } from './endpoint/endpoint.ts';
import { type FileWorker, openFileWorker } from './files/file-worker.ts';
import { openShelf } from './gallery/shelf.ts';
import { type GuideState, openGuide } from './guide/guide-state.ts';
import { type ModelChoice, openModelChoice, type ReadyModel } from './models/model-choice.ts';
import type { OpeningRuntime } from './opening-runtime.ts';
import { openActionRunner } from './parts/action-runner.ts';
import { type DraftUndo, openDraftUndo } from './parts/draft-undo.ts';
import { storedText } from './parts/local-storage.ts';
import { type Navigation, openNavigation } from './route.ts';
import { openRecentCalls, type RecentCalls } from './rules/recent-calls.ts';
import { openCurrentRun } from './run/current-run.ts';
import { type NextRun, openNextRun } from './run/next-run.ts';
import type { ProposerName } from './run/proposer.ts';
import { openRunActions, type RunActions } from './run/run-actions.ts';
import { openRunChoices, openRunList, type RunSetup } from './run/run-start.ts';
import { openStatus, type Status } from './run/run-status.ts';
import type { RunSession } from './run/session.ts';
import { FILES, type PlaygroundScenario } from './scenario.ts';
import { LANGUAGE_NAMES, missingLanguage } from './shell/languages.ts';
import { openThemes, type Themes } from './shell/theme.ts';
import { type Traffic, watchTraffic } from './shell/traffic.ts';
import { lossOf } from './storage/storage-text.ts';
import { openSelection, type Selection } from './timeline/selection.ts';

/** The state and the actions of the views. A single store, a plain module of signals: no view keeps state of a run. */
export interface Playground extends NextRun, RunActions, Navigation {
  /** Its operations wait until the kernel has started. */
  readonly runtime: Runtime;
  /** Undefined until the kernel has started. */
  readonly info: ReadonlySignal<RuntimeInfo | undefined>;
  /** The scenario in the wire form chosen; reading it inside a view follows the choice. */
  readonly scenario: PlaygroundScenario;
  /** The forms of the chosen scenario, one for each dialect; reading it inside a view follows the choice. */
  readonly forms: readonly PlaygroundScenario[];
  /** The forms of every scenario that was opened, the bakery's first; reading it inside a view follows them. */
  readonly scenarios: readonly PlaygroundScenario[];
  /** Names of the capabilities that a run of the chosen scenario sees; undefined for all. */
  offer(): readonly string[] | undefined;
  /** The scenario that is there from the beginning: lessons and attacks use its papers and capabilities. */
  readonly home: PlaygroundScenario;
  readonly catalogue: CatalogueState;
  readonly recent: RecentCalls;
  readonly traffic: Traffic;
  readonly themes: Themes;
  readonly guide: GuideState;
  readonly session: ReadonlySignal<RunSession | undefined>;
  readonly selection: Selection;
  readonly audit: Audit;
  /** Reads, checks and writes texts of runs on a thread of its own. */
  readonly files: FileWorker;
  readonly corpus: CorpusState;
  readonly ownFiles: OwnFiles;
  readonly status: ReadonlySignal<Status>;
  readonly runs: ReadonlySignal<readonly RunRow[]>;
  /** Which of the columns a narrow screen shows. */
  readonly column: Signal<ColumnName>;
  readonly chosen: ReadonlySignal<ProposerName>;
  readonly endpoint: EndpointState;
  readonly models: ModelChoice;
  readonly setup: ReadonlySignal<RunSetup>;
  /** A proposal that a person is writing; it outlives the panel it is written in, and the page. */
  readonly draft: Signal<string>;
  readonly draftUndo: DraftUndo;
  /** The latest fault outside a run, in a sentence. */
  readonly trouble: Signal<string | undefined>;
  /** Single letters are no shortcuts: for people whose speech or hands send letters that they do not mean. */
  readonly lettersOff: Signal<boolean>;
  /** Begins a run with this task, and lets it go on. */
  ask(task: string): void;
  /** Begins a run about the person's files with this question. Where no model is ready, the run goes on when one is. */
  askFiles(question: string): void;
  /** A new run with the same proposals up to this step, whose own proposal then waits to be changed. */
  fork(step: number): void;
  /** A new run of this page with the task and the proposals of an export up to a step. It waits before its first step. */
  forkText(jsonl: string, step: number): void;
  /** Has the other tab that writes this run let it go, and goes on with it here. */
  takeOver(): void;
  /** Shows a run whose calls a program of this page makes, such as an undo. Its questions are answered here. */
  attend(run: Run): void;
  openRun(id: string): Promise<void>;
  listRuns(): void;
}

export const COLUMNS = ['setup', 'timeline', 'inspector'] as const;
export type ColumnName = (typeof COLUMNS)[number];

export function openPlayground(
  { runtime, info, progress, opened }: OpeningRuntime,
  scenarios: readonly [PlaygroundScenario, ...PlaygroundScenario[]],
): Playground {
  const column = signal<ColumnName>('inspector');
  const trouble = signal<string | undefined>(undefined);
  const draft = storedText('sallyport.proposal', '');
  const draftUndo = openDraftUndo(draft);
  const catalogue = openCatalogue({
    runtime,
    own: ownCapabilities(),
    onChange: () => next.again(),
    onAddition: () => next.againLater(),
    tell: (sentence) => (trouble.value = sentence),
  });
  const shelf = openShelf({
    runtime,
    home: scenarios,
    files: scenarios.map(({ dialect }) => filesIn(dialect)),
    names: () => (catalogue.rows.peek() ?? []).map(({ name }) => name),
    changed: catalogue.refresh,
  });
  const choices = openRunChoices(shelf, scenarios[0]);
  const traffic = watchTraffic(opened);
  const endpoint = openEndpoint(traffic.note);
  const models = openModelChoice(endpoint.connected);
  const corpus = openCorpus(runtime);
  const ownFiles = openOwnFiles({
    runtime,
    overview: corpus.overview,
    papers: scenarios[0].files,
    grants: catalogue.grants,
    isNamed: () => choices.scenario.peek().dialect === 'catalytic',
    changed: async () => {
      await catalogue.refresh();
      next.again();
    },
    failed: (error) => (trouble.value = shell().filesNotOffered(sentenceOf(error))),
  });
  const attempt = openActionRunner(trouble);
  const files = openFileWorker();

  const { runs, listRuns, rows } = openRunList(runtime, attempt);
  const readyModel = () => models.ready.peek()?.model;
  const current = openCurrentRun({
    runtime,
    rows,
    choices,
    readyModel,
    attempt,
    turned: () => selection.reset(),
    ended: () => {
      listRuns();
      column.value = 'inspector';
    },
  });
  const { session, records } = current;
  // a person's answer may stand until the run ends
  const answered = computed(() => {
    const { pending, end } = session.value?.view.value ?? {};
    return `${pending?.digest} ${end?.state}`;
  });
  const recent = openRecentCalls(runtime);
  answered.subscribe(() => {
    void catalogue.refresh();
    void recent.refresh().catch(() => undefined);
  });
  const selection = openSelection(records, session);
  const next = openNextRun({
    runtime,
    isOpen: () => info.peek() !== undefined,
    choices,
    current,
    readyModel,
    knownTasks: () => models.ready.value?.examples ?? [],
    addPapers: async (scenario) => {
      if (scenario.id !== FILES) await corpus.addPapers(scenario);
      await ownFiles.name();
    },
    attempt,
  });

  const openRun = async (id: string): Promise<void> => {
    navigation.place.scenario.value = undefined;
    if (!(await current.open(id))) trouble.value = shell().runNotHere;
  };
  const navigation = openNavigation({ session, selection, trouble, openRun });
  const startFrom = async (id: string): Promise<void> => {
    try {
      await next.startFrom(id);
      navigation.place.scenario.value = undefined;
    } catch (error) {
      trouble.value = shell().scenarioNotOpened(sentenceOf(error));
    }
  };

  effect(() => {
    if (info.value !== undefined) trouble.value = lossOf(info.value.store) ?? trouble.peek();
  });
  effect(() => {
    const missing = missingLanguage.value;
    if (missing !== undefined) trouble.value = shell().languageMissing(LANGUAGE_NAMES[missing]);
  });

  const forkText = (jsonl: string, step: number): void =>
    attempt(texts().actions.fork, async () => {
      const { forkFile } = await loadPart(() => import('./run/fork.ts'));
      await forkFile({ runtime, choices, current, next, draft: draftUndo }, jsonl, step);
      navigation.view.value = 'run';
      column.value = 'setup';
    });

  // at first, and where they are shown: a run that goes on has records by then
  effect(() => {
    if (navigation.view.value === 'audit' || runs.peek().length === 0) listRuns();
  });

  const actions = openRunActions({
    runtime,
    files,
    current,
    next,
    attempt,
    proposes: () => choices.chosen.peek() !== 'model' || isIn(session.peek(), models.ready.peek()),
  });
  const ask = (task: string): void => {
    next.edits.drop();
    if (task !== next.nextTask.peek()) choices.setup.value = { ...choices.setup.peek(), task };
    next.startRun();
    actions.run();
  };

  /** A question about the person's files that waits for a model. */
  let isAskedFor = false;
  const askReady = (): void => {
    const own = session.peek();
    const isMine = isAskedFor && choices.scenario.peek().id === FILES && (own?.view.peek()?.steps ?? 0) === 0;
    isAskedFor = false;
    if (!isMine) return;
    next.choose('model');
    actions.run();
  };
  effect(() => {
    // the small model knows short orders, and none about files
    if (models.ready.value !== undefined && models.kind.value !== 'small') queueMicrotask(askReady);
  });
  const askFiles = (question: string): void =>
    attempt(texts().actions.run, async () => {
      const forms = (await shelf.open(FILES)) ?? [];
      const { dialect } = choices.scenario.peek();
      choices.scenario.value = forms.find((each) => each.dialect === dialect) ?? choices.scenario.peek();
      choices.setup.value = { ...choices.setup.peek(), task: question };
      choices.chosen.value = 'model';
      choices.preferred.value = 'model';
      if (dialect === 'catalytic') await ownFiles.name();
      next.startRun();
      navigation.view.value = 'run';
      column.value = 'setup';
      isAskedFor = true;
      if (models.ready.peek() !== undefined && models.kind.peek() !== 'small') askReady();
      else endpoint.asks.value = true;
    });

  return {
    ...next,
    choose: (name) => {
      choices.preferred.value = name;
      next.choose(name);
    },
    ...actions,
    ask,
    askFiles,
    ...navigation,
    startFrom,
    runtime,
    info,
    get scenario() {
      return choices.scenario.value;
    },
    get forms() {
      const { id } = choices.scenario.value;
      return shelf.opened.value.filter((each) => each.id === id);
    },
    get scenarios() {
      return shelf.opened.value;
    },
    home: scenarios[0],
    offer: () => shelf.offer(choices.scenario.value),
    catalogue,
    recent,
    traffic,
    endpoint,
    models,
    setup: choices.setup,
    draft,
    draftUndo,
    themes: openThemes(),
    guide: openGuide(),
    session,
    selection,
    audit: openAudit(runtime, files),
    files,
    corpus,
    ownFiles,
    status: openStatus(session, current.taking, progress),
    runs,
    column,
    chosen: choices.chosen,
    trouble,
    lettersOff: signal(false),
    takeOver: current.takeOver,
    attend: current.attend,
    openRun,
    fork: (step) =>
      attempt(texts().actions.fork, async () => {
        const own = session.peek();
        if (own === undefined) return;
        const { forkRun } = await loadPart(() => import('./run/fork.ts'));
        await forkRun({ runtime, choices, current, next, draft: draftUndo }, own, step);
        column.value = 'setup';
      }),
    forkText,
    listRuns,
  };
}

/** The run began with this model, and its first record names it. */
function isIn(session: RunSession | undefined, ready: ReadyModel | undefined): boolean {
  return ready !== undefined && session?.proposer?.elsewhere === ready.model;
}
