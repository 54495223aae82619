import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Dialect } from '../../core/index.ts';
import type { ApprovalAnswer, Run, RunRow, Runtime } from '../../workers/api.ts';
import { sentenceOf } from '../shared/error-text.ts';
import { type Audit, openAudit } from './audit/audit.ts';
import { type CatalogueState, openCatalogue } from './capabilities/catalogue.ts';
import { type CorpusState, openCorpus } from './corpus/corpus.ts';
import { type EndpointState, openEndpoint } from './endpoint/endpoint.ts';
import { formatLink, nameOf, type PageLink, VIEWS, type ViewName } from './link.ts';
import { storedText } from './parts/local-storage.ts';
import { saveFile } from './parts/save-file.ts';
import { openRoute, type Route } from './route.ts';
import { type Aborting, openAbortQuestion } from './run/abort-question.ts';
import { openCurrentRun } from './run/current-run.ts';
import type { ProposerName } from './run/proposer.ts';
import { beginRun, isUntouched, type Offer, proposalsOf, type RunSetup, scenarioOf } from './run/run-start.ts';
import { endingOf, isCutOff, type Status, statusOf, takenUpAt } from './run/run-status.ts';
import { openFile, type Session } from './run/session.ts';
import { openTaskTexts, type TaskTexts } from './run/tasks.ts';
import type { PlaygroundScenario } from './scenario.ts';
import { type Edits, openEdits } from './setup/setup-edits.ts';
import { openThemes, type Themes } from './shell/theme.ts';
import { type Traffic, watchTraffic } from './shell/traffic.ts';
import { lossOf } from './storage/storage-text.ts';
import { openSelection, type Selection } from './timeline/selection.ts';

/** The state and the actions of the views. A single store, a plain module of signals: no view keeps state of a run. */
export interface Playground {
  readonly runtime: Runtime;
  /** The scenario in the wire form chosen; reading it inside a view follows the choice. */
  readonly scenario: PlaygroundScenario;
  readonly scenarios: readonly PlaygroundScenario[];
  /** A run speaks a single dialect from its first record to its last, so another dialect needs another run. */
  readonly mayChangeDialect: ReadonlySignal<boolean>;
  readonly catalogue: CatalogueState;
  readonly traffic: Traffic;
  readonly themes: Themes;
  readonly session: ReadonlySignal<Session | undefined>;
  readonly selection: Selection;
  readonly audit: Audit;
  readonly corpus: CorpusState;
  readonly status: ReadonlySignal<Status>;
  readonly runs: ReadonlySignal<readonly RunRow[]>;
  readonly tasks: TaskTexts;
  readonly view: Signal<ViewName>;
  readonly place: Route;
  /** Which of the columns a narrow screen shows. */
  readonly column: Signal<ColumnName>;
  readonly chosen: ReadonlySignal<ProposerName>;
  readonly endpoint: EndpointState;
  readonly setup: ReadonlySignal<RunSetup>;
  /** A proposal that a person is writing; it outlives the panel it is written in, and the page. */
  readonly draft: Signal<string>;
  /** The latest fault outside a run, in a sentence. */
  readonly trouble: Signal<string | undefined>;
  /** Single letters are no shortcuts: for people whose speech or hands send letters that they do not mean. */
  readonly lettersOff: Signal<boolean>;
  readonly link: ReadonlySignal<string>;
  /** With an offer, its proposals and its task take the place of the scenario's. */
  startRun(offer?: Offer): void;
  /** Changes the setup of the next run; a run without a step begins again with it. */
  arrange(setup: RunSetup): void;
  /** The text typed for the next run, until the field is left. */
  readonly edits: Edits;
  /** A new run with the same proposals up to this step, whose own proposal then waits to be changed. */
  fork(step: number): void;
  /** Gives a completed conversation its next task. */
  say(task: string): void;
  /** Has the other tab that writes this run let it go, and goes on with it here. */
  takeOver(): void;
  /** False where there is no run to resume. */
  resumeRun(): Promise<boolean>;
  speak(dialect: Dialect): void;
  openRun(id: string): Promise<void>;
  /** Opens an exported run to read it, without storing it. */
  openFile(file: File): void;
  step(): void;
  run(): void;
  pause(): void;
  /** Asks first: an aborted run cannot go on. */
  abort(): void;
  readonly aborting: ReadonlySignal<Aborting | undefined>;
  choose(name: ProposerName): void;
  send(text: string): void;
  answer(answer: ApprovalAnswer): void;
  exportRun(): void;
  listRuns(): void;
  follow(link: PageLink): Promise<void>;
}

export const COLUMNS = ['setup', 'timeline', 'inspector'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** Records of a run that has made no step: its configuration and its task. */
const BARE_RECORDS = 2;

type DrivenRun = Session & { readonly run: Run };

export function openPlayground(
  runtime: Runtime,
  scenarios: readonly [PlaygroundScenario, ...PlaygroundScenario[]],
): Playground {
  const chosenScenario = signal<PlaygroundScenario>(scenarios[0]);
  const runs = signal<readonly RunRow[]>([]);
  const view = signal<ViewName>('run');
  const place = openRoute();
  const column = signal<ColumnName>('inspector');
  const chosen = signal<ProposerName>('script');
  const trouble = signal(lossOf(runtime.info.store));
  const setup = signal<RunSetup>({});
  const draft = storedText('sallyport.proposal', '');
  const traffic = watchTraffic();
  const endpoint = openEndpoint(traffic.note);

  /** Runs a task whose failure is our defect or the device's, and shows the failure. */
  const attempt = (what: string, work: () => Promise<unknown>): void => {
    work().catch((error: unknown) => {
      trouble.value = `${what} failed: ${sentenceOf(error)}`;
    });
  };

  const refreshRuns = (): void =>
    attempt('Listing earlier runs', async () => {
      runs.value = (await runtime.runs()).filter(({ records: length }) => length > BARE_RECORDS);
    });

  const stage = openCurrentRun({
    runtime,
    scenarios,
    chosen,
    attempt,
    turned: () => selection.reset(),
    ended: () => {
      refreshRuns();
      column.value = 'inspector';
    },
    took: (scenario) => {
      chosenScenario.value = scenario;
    },
  });
  const { session } = stage;
  const records = computed(() => session.value?.records.value ?? []);
  const selection = openSelection(records, session);
  const corpus = openCorpus(runtime);
  const abortQuestion = openAbortQuestion({ session, attempt });

  const startRun = (offer?: Offer): void => {
    const begun = beginRun(runtime, {
      scenario: chosenScenario.peek(),
      chosen: chosen.peek(),
      setup: { ...setup.peek(), ...(offer && { task: offer.task }) },
      ...offer,
      elsewhere: chosen.peek() === 'model' ? endpoint.connected.peek()?.model : undefined,
    });
    stage.drive(begun.run, begun.proposer);
  };

  const choose = (name: ProposerName): void => {
    edits.settle();
    chosen.value = name;
    const own = session.peek()?.proposer;
    if (name !== 'model') return own?.choose(name);
    const wanted = endpoint.connected.peek()?.model;
    if (wanted === undefined) endpoint.asks.value = true;
    else if (own?.elsewhere === wanted) own.choose(name);
    else if (isBare.peek()) startRun();
  };

  const fork = (step: number): void =>
    attempt('The fork', async () => {
      const own = session.peek();
      if (own === undefined) return;
      const script = await proposalsOf(own.records.peek(), own.bytes);
      if (script === undefined) throw new Error('not every proposal of this run is on this device.');
      const origin = `forked from ${own.id.slice(0, 8)} before step ${step}`;
      chosenScenario.value = scenarioOf(scenarios, own.records.peek()) ?? chosenScenario.peek();
      choose('script');
      const scenario = chosenScenario.peek();
      const begun = beginRun(runtime, { scenario, chosen: 'script', setup: setup.peek(), script, origin });
      stage.drive(begun.run, begun.proposer);
      for (let taken = 1; taken < step && begun.run.view.pending === undefined; taken += 1) await begun.run.step();
      draft.value = script[step - 1] ?? '';
      if (begun.run.view.pending === undefined) choose('you');
      column.value = 'setup';
    });

  const arrange = (next: RunSetup): void => {
    setup.value = next;
    again();
  };
  const edits = openEdits(arrange);

  const live = (what: string, act: (own: DrivenRun) => Promise<unknown>): void => {
    edits.settle();
    const own = session.value;
    if (own?.run !== undefined) attempt(what, () => act(own as DrivenRun));
  };

  const isBare = computed(() => {
    const own = session.value?.view.value;
    return own === undefined || own.end !== undefined || (own.steps === 0 && isUntouched(records.value));
  });

  /** A run without a step begins again, with the current setup. */
  const again = (): void => {
    if (session.peek()?.view.peek()?.end === undefined && isBare.peek()) startRun();
  };

  const speak = (dialect: Dialect): void => {
    const wanted = scenarios.find((each) => each.dialect === dialect);
    if (wanted === undefined || !isBare.peek()) return;
    chosenScenario.value = wanted;
    const begin = (): void => {
      if (chosenScenario.peek() === wanted) startRun();
    };
    if (dialect !== 'catalytic') return begin();
    // a model is told the names that are there when its run begins
    attempt('Laying out the papers', () => corpus.addPapers(wanted).finally(begin));
  };

  const openRun = async (id: string): Promise<void> => {
    if (!(await stage.open(id))) trouble.value = 'This run is not on this device. Nothing was opened.';
  };

  effect(() => {
    const last = records.value.at(-1);
    // The first screen is the welcome; the setup of a run does not push it away.
    if (last === undefined || isUntouched(records.value)) return;
    if (selection.follows.peek()) selection.seq.value = last.run_seq;
  });
  // at first, and where they are shown: a run that goes on has records by then
  effect(() => {
    if (view.value === 'audit' || runs.peek().length === 0) refreshRuns();
  });

  return {
    runtime,
    get scenario() {
      return chosenScenario.value;
    },
    scenarios,
    mayChangeDialect: isBare,
    catalogue: openCatalogue(runtime, again),
    traffic,
    endpoint,
    setup,
    draft,
    themes: openThemes(),
    session,
    selection,
    audit: openAudit(runtime),
    corpus,
    status: computed(() => {
      const own = session.value;
      const cutOff = isCutOff(records.value);
      const takenUp = takenUpAt(records.value);
      const elsewhere = stage.taking.value ? 'taking' : own?.elsewhere.value;
      const asked = own?.proposer?.asked.value ?? false;
      const ending = endingOf(own?.steps.value ?? []);
      return statusOf({ view: own?.view.value, asked, cutOff, takenUp, elsewhere, ending });
    }),
    runs,
    tasks: openTaskTexts(runtime),
    view,
    place,
    column,
    chosen,
    trouble,
    lettersOff: signal(false),
    link: computed(() => {
      const own = session.value;
      const past = own === undefined || own.run !== undefined || own.text !== undefined ? {} : { run: own.id };
      const seq = selection.seq.value;
      const at = own?.run !== undefined || seq === undefined ? {} : { seq };
      return formatLink({ view: view.value, ...past, ...at, tab: selection.tab.value, ...place.link(view.value) });
    }),
    startRun,
    takeOver: stage.takeOver,
    resumeRun: stage.resume,
    speak,
    openRun,
    openFile: (file) => attempt('Opening the file', async () => stage.show(await openFile(file))),
    step: () => live('The step', (own) => own.run.step()),
    run: () => live('The run', (own) => own.run.run()),
    pause: () => live('Pausing', (own) => own.run.pause()),
    abort: abortQuestion.ask,
    aborting: abortQuestion.asked,
    choose,
    fork,
    arrange,
    edits,
    say: (task) =>
      attempt('The next task', async () => {
        const own = session.value;
        if (own === undefined) return;
        const { run, proposer } = own.run === undefined ? await stage.takeUp(own.id) : (own as DrivenRun);
        if (proposer?.chosen.peek() === 'script') choose('you');
        await run.say(task);
      }),
    send: (text) =>
      live('The step', async ({ run, proposer }) => {
        const busy = run.view.mode !== 'paused';
        proposer?.send(text);
        if (!busy) await run.step();
      }),
    answer: (answer) =>
      live('The answer', async ({ run }) => {
        const digest = (run.view.pending ?? run.view.consent)?.digest;
        if (digest !== undefined) await run.answer(digest, answer);
      }),
    exportRun: () =>
      attempt('Exporting', async () => {
        const own = session.value;
        if (own !== undefined)
          saveFile(`${own.id.slice(0, 8)}.run.jsonl`, own.text ?? (await runtime.ledger.export(own.id)));
      }),
    listRuns: refreshRuns,
    follow: async (link) => {
      view.value = link.view;
      place.follow(link);
      if (link.unknown !== undefined)
        trouble.value = `This page has no view called “${link.unknown}”. Choose ${VIEWS.map(nameOf).join(', ')} in the header.`;
      if (link.run !== undefined) await openRun(link.run);
      if (link.seq !== undefined) selection.select(link.seq);
      if (link.tab !== undefined) selection.tab.value = link.tab;
    },
  };
}
