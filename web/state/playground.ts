import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Dialect } from '../../core/index.ts';
import type { ApprovalAnswer, Run, RunRow, Runtime } from '../../workers/api.ts';
import { type Audit, openAudit } from './audit.ts';
import { formatLink, type Link, type ViewName } from './link.ts';
import { openPlace, type Place } from './place.ts';
import { openProposer, type Proposer, type ProposerName } from './proposer.ts';
import { saveFile } from './save.ts';
import type { Scenario } from './scenario.ts';
import { openSelection, type Selection } from './selection.ts';
import { followRun, readRun, type Session } from './session.ts';
import { type Status, statusOf } from './status.ts';
import { lossOf } from './storage.ts';
import { openThemes, type Themes } from './theme.ts';
import { type Traffic, watchTraffic } from './traffic.ts';
import { sentenceOf } from './trouble.ts';

/** Everything the views read and do. One store, a plain module of signals: no view keeps state of a run. */
export interface Playground {
  readonly runtime: Runtime;
  /** The scenario in the wire form chosen; reading it inside a view follows the choice. */
  readonly scenario: Scenario;
  readonly scenarios: readonly Scenario[];
  /** A run speaks one dialect from its first record to its last: another one means another run. */
  readonly mayChangeDialect: ReadonlySignal<boolean>;
  readonly traffic: Traffic;
  readonly themes: Themes;
  readonly session: ReadonlySignal<Session | undefined>;
  readonly selection: Selection;
  readonly audit: Audit;
  readonly status: ReadonlySignal<Status>;
  readonly runs: ReadonlySignal<readonly RunRow[]>;
  readonly view: Signal<ViewName>;
  readonly place: Place;
  /** Which of the columns a narrow screen shows. */
  readonly column: Signal<ColumnName>;
  readonly chosen: ReadonlySignal<ProposerName>;
  /** The last thing that went wrong outside a run, in one sentence. */
  readonly trouble: Signal<string | undefined>;
  /** Single letters do nothing: for people whose speech or hands send letters they do not mean. */
  readonly lettersOff: Signal<boolean>;
  readonly link: ReadonlySignal<string>;
  startRun(): void;
  /** False where there is nothing to take up. */
  resumeRun(): Promise<boolean>;
  speak(dialect: Dialect): void;
  openRun(id: string): Promise<void>;
  step(): void;
  run(): void;
  pause(): void;
  abort(): void;
  choose(name: ProposerName): void;
  send(text: string): void;
  answer(answer: ApprovalAnswer): void;
  exportRun(): void;
  follow(link: Link): Promise<void>;
}

export const COLUMNS = ['setup', 'timeline', 'inspector'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** A run with no more than its configuration and its task: nothing has happened in it. */
const BARE_RECORDS = 2;

export function openPlayground(runtime: Runtime, scenarios: readonly [Scenario, ...Scenario[]]): Playground {
  const chosenScenario = signal<Scenario>(scenarios[0]);
  const session = signal<Session | undefined>(undefined);
  const records = computed(() => session.value?.records.value ?? []);
  const selection = openSelection(records);
  const runs = signal<readonly RunRow[]>([]);
  const view = signal<ViewName>('run');
  const place = openPlace();
  const column = signal<ColumnName>('inspector');
  const chosen = signal<ProposerName>('script');
  const trouble = signal(lossOf(runtime.info.store));

  /** Starts something whose failure is our defect or the device's: it is shown, never swallowed. */
  const attempt = (what: string, work: () => Promise<unknown>): void => {
    work().catch((error: unknown) => {
      trouble.value = `${what} failed: ${sentenceOf(error)}`;
    });
  };

  const show = (next: Session | undefined): void => {
    session.peek()?.close();
    selection.reset();
    session.value = next;
  };

  const refreshRuns = (): void =>
    attempt('Listing earlier runs', async () => {
      runs.value = (await runtime.runs()).filter(({ records: length }) => length > BARE_RECORDS);
    });

  const startRun = (): void => {
    const { dialect, task, script } = chosenScenario.peek();
    const proposer = openProposer(script, chosen.peek());
    const run = runtime.start({ dialect, task, model: proposer.port, paused: true });
    watch(run, proposer);
  };

  const watch = (run: Run, proposer: Proposer): void => {
    show(followRun(runtime, run, proposer));
    attempt('The run', async () => {
      await run.result;
      refreshRuns();
      column.value = 'inspector';
      await session.value?.verify();
    });
  };

  /** Takes up the youngest run that was left unfinished and that no other tab holds. */
  const resumeRun = async (): Promise<boolean> => {
    const open = (await runtime.runs()).filter(({ sealed }) => !sealed);
    for (const { run_id, dialect } of open) {
      const scenario = scenarios.find((each) => dialect.startsWith(each.dialect));
      if (scenario === undefined) continue;
      const made = (await runtime.ledger.records(run_id)).filter(({ kind }) => kind === 'proposal').length;
      const proposer = openProposer(scenario.script, chosen.peek(), made);
      const run = await runtime.resume(run_id, proposer.port).catch(() => undefined);
      if (run === undefined) continue;
      chosenScenario.value = scenario;
      watch(run, proposer);
      return true;
    }
    return false;
  };

  const live = (what: string, act: (own: Session & { run: NonNullable<Session['run']> }) => Promise<unknown>): void => {
    const own = session.value;
    if (own?.run !== undefined) attempt(what, () => act(own as Session & { run: NonNullable<Session['run']> }));
  };

  const mayChangeDialect = computed(() => {
    const own = session.value?.view.value;
    return own === undefined || own.end !== undefined || (own.steps === 0 && records.value.length <= BARE_RECORDS);
  });

  effect(() => {
    const last = records.value.at(-1);
    // The first screen is the welcome: what a run begins with is there to be read, not pushed forward.
    if (last === undefined || records.value.length <= BARE_RECORDS) return;
    if (selection.follows.peek()) selection.seq.value = last.run_seq;
  });
  refreshRuns();

  return {
    runtime,
    get scenario() {
      return chosenScenario.value;
    },
    scenarios,
    mayChangeDialect,
    traffic: watchTraffic(),
    themes: openThemes(),
    session,
    selection,
    audit: openAudit(runtime),
    status: computed(() => {
      const own = session.value;
      return statusOf({ view: own?.view.value, asked: own?.proposer?.asked.value ?? false });
    }),
    runs,
    view,
    place,
    column,
    chosen,
    trouble,
    lettersOff: signal(false),
    link: computed(() => {
      const own = session.value;
      const past = own === undefined || own.run !== undefined ? {} : { run: own.id };
      const seq = selection.seq.value;
      const at = own?.run !== undefined || seq === undefined ? {} : { seq };
      return formatLink({ view: view.value, ...past, ...at, tab: selection.tab.value, ...place.link(view.value) });
    }),
    startRun,
    resumeRun,
    speak: (dialect) => {
      const wanted = scenarios.find((each) => each.dialect === dialect);
      if (wanted === undefined || !mayChangeDialect.peek()) return;
      chosenScenario.value = wanted;
      startRun();
    },
    openRun: async (id) => {
      const found = await readRun(runtime, id);
      if (found === undefined) trouble.value = 'This run is not on this device. Nothing was opened.';
      else show(found);
    },
    step: () => live('The step', (own) => own.run.step()),
    run: () => live('The run', (own) => own.run.run()),
    pause: () => live('Pausing', (own) => own.run.pause()),
    abort: () => live('Aborting', (own) => own.run.abort('stopped by a person')),
    choose: (name) => {
      chosen.value = name;
      session.value?.proposer?.choose(name);
    },
    send: (text) =>
      live('The step', async ({ run, proposer }) => {
        const busy = run.view.mode !== 'paused';
        proposer?.send(text);
        if (!busy) await run.step();
      }),
    answer: (answer) =>
      live('The answer', async ({ run }) => {
        const digest = run.view.pending?.digest;
        if (digest !== undefined) await run.answer(digest, answer);
      }),
    exportRun: () =>
      attempt('Exporting', async () => {
        const own = session.value;
        if (own !== undefined) saveFile(`${own.id.slice(0, 8)}.run.jsonl`, await runtime.ledger.export(own.id));
      }),
    follow: async (link) => {
      view.value = link.view;
      place.follow(link);
      if (link.run !== undefined) {
        const found = await readRun(runtime, link.run);
        if (found === undefined) trouble.value = 'The link names a run that is not on this device. Nothing was opened.';
        else show(found);
      }
      if (link.seq !== undefined) selection.select(link.seq);
      if (link.tab !== undefined) selection.tab.value = link.tab;
    },
  };
}
