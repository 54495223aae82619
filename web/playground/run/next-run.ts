import { computed, type ReadonlySignal, untracked } from '@preact/signals-core';
import type { Dialect } from '../../../core/index.ts';
import type { ModelPort, Runtime } from '../../../workers/api.ts';
import { run as texts } from '../../texts/en/run.ts';
import { shell } from '../../texts/en/shell.ts';
import type { ActionRunner } from '../parts/action-runner.ts';
import type { PlaygroundScenario } from '../scenario.ts';
import type { CurrentRun } from './current-run.ts';
import type { ProposerName } from './proposer.ts';
import { beginRun, isUntouched, type Offer, type RunChoices, type RunSetup } from './run-start.ts';

/** The next run: it begins with the choices, and a change of the choices replaces a run that has made no step. */
export interface NextRun {
  /** A run speaks a single dialect from its first record to its last, so another dialect needs another run. */
  readonly mayChangeDialect: ReadonlySignal<boolean>;
  /** The task of the next run: a person's own, or one that the chosen model knows, or the scenario's. */
  readonly nextTask: ReadonlySignal<string>;
  /** The text typed for the next run, until the field is left. */
  readonly edits: Edits;
  /**
   * Loads a run where none is open: the youngest unfinished run, or else a new one. A run that is opened meanwhile stays
   * open.
   */
  openFirstRun(): Promise<void>;
  /** With an offer, its proposals and its task take the place of the scenario's. */
  startRun(offer?: Offer): void;
  /** Changes the setup of the next run; a run without a step begins again with it. */
  arrange(setup: RunSetup): void;
  choose(name: ProposerName): void;
  speak(dialect: Dialect): void;
  /** Opens a scenario and begins a run of it. The run waits before its first step; the open run stays as it is. */
  startFrom(id: string): Promise<void>;
  /** Chooses an open scenario whose runs see this capability, if those of the chosen scenario do not. */
  turnTo(capability: string): void;
}

interface NextRunFacts {
  readonly runtime: Runtime;
  readonly choices: RunChoices;
  readonly current: CurrentRun;
  /** The model that can propose now, where the third proposer has one. */
  readyModel(): ModelPort | undefined;
  /** The tasks that this model knows; none where it may be asked any. Read inside a signal. */
  knownTasks(): readonly string[];
  /** False while the kernel starts: a run begins when it has started. */
  isOpen(): boolean;
  /** Adds the scenario's papers to the content. */
  addPapers(scenario: PlaygroundScenario): Promise<void>;
  readonly attempt: ActionRunner;
}

/** What changes of capabilities and grants do to the next run. */
interface NextRunUpkeep {
  /** A run without a step begins again at once. */
  again(): void;
  /** A run without a step begins again with the next action on a run: until then no further run is written. */
  againLater(): void;
}

export function openNextRun(facts: NextRunFacts): NextRun & NextRunUpkeep {
  const { runtime, isOpen, choices, current, readyModel, knownTasks, addPapers, attempt } = facts;
  const { shelf, scenario, chosen, setup } = choices;
  const { session } = current;

  const isBare = computed(() => {
    const own = session.value?.view.value;
    return own === undefined || own.end !== undefined || (own.steps === 0 && isUntouched(current.records.value));
  });

  const nextTask = computed(() => {
    const [known] = chosen.value === 'model' ? knownTasks() : [];
    return setup.value.task ?? known ?? scenario.value.task;
  });
  /** The run that began last with the task of that moment. */
  let latest: { readonly id: string; readonly task: string } | undefined;

  const startRun = (offer?: Offer): void => {
    if (!isOpen()) return;
    edits.refreshed();
    const task = offer?.task ?? nextTask.peek();
    const begun = beginRun(runtime, {
      scenario: scenario.peek(),
      offer: untracked(() => shelf.offer(scenario.peek())),
      chosen: chosen.peek(),
      setup: { ...setup.peek(), task },
      ...offer,
      elsewhere: chosen.peek() === 'model' ? readyModel() : undefined,
    });
    latest = offer === undefined ? { id: begun.run.id, task } : undefined;
    current.drive(begun.run, begun.proposer);
  };

  const openFirstRun = async (): Promise<void> => {
    if (session.peek() !== undefined) return;
    // an empty run of another model begins again with the one that is ready
    if (await current.resume()) return chosen.peek() === 'model' ? choose('model') : undefined;
    if (session.peek() === undefined) startRun();
  };

  /**
   * A run without a step begins again, with the current setup; a run that is only read stays. Where no run is open yet, the
   * first run takes the setup.
   */
  const again = (): void => {
    const open = session.peek();
    if (open?.run !== undefined && open.view.peek()?.end === undefined && isBare.peek()) startRun();
  };

  const arrange = (next: RunSetup): void => {
    setup.value = next;
    again();
  };
  const edits = openEdits(arrange, again);

  const choose = (name: ProposerName): void => {
    edits.settle();
    chosen.value = name;
    const open = session.peek();
    const own = open?.proposer;
    if (name !== 'model') {
      own?.choose(name);
      // a task that only a model knows goes with the model
      if (open !== undefined && latest?.id === open.id && latest.task !== nextTask.peek()) again();
      return;
    }
    const wanted = readyModel();
    if (wanted === undefined) return;
    const isOver = open?.view.peek()?.end !== undefined;
    if (own?.elsewhere === wanted) own.choose(name);
    // it goes on with the model that it began with, which was not ready when it was taken up
    else if (own?.recorded === wanted.id && !isOver) current.takeOver();
    else if (isBare.peek()) startRun();
  };

  const speak = (dialect: Dialect): void => {
    const { id } = scenario.peek();
    const wanted = shelf.opened.peek().find((each) => each.id === id && each.dialect === dialect);
    if (wanted === undefined || !isBare.peek()) return;
    scenario.value = wanted;
    const begin = (): void => {
      if (scenario.peek() === wanted) startRun();
    };
    if (dialect !== 'catalytic') return begin();
    // a model is told the names that are there when its run begins
    attempt(texts().actions.papers, () => addPapers(wanted).finally(begin));
  };

  const startFrom = async (id: string): Promise<void> => {
    const forms = await shelf.open(id);
    const { dialect } = scenario.peek();
    const wanted = forms?.find((each) => each.dialect === dialect) ?? forms?.[0];
    if (wanted === undefined) throw new Error(shell().noScenario(id.slice(0, 40)));
    edits.drop();
    const { task: _, ...rest } = setup.peek();
    setup.value = rest;
    scenario.value = wanted;
    startRun();
  };

  const turnTo = (capability: string): void => {
    const sees = (each: PlaygroundScenario): boolean => shelf.offer(each)?.includes(capability) ?? true;
    if (sees(scenario.peek())) return;
    const wanted = shelf.opened.peek().find(sees);
    if (wanted !== undefined) scenario.value = wanted;
  };

  return {
    mayChangeDialect: isBare,
    nextTask,
    edits,
    openFirstRun,
    startRun,
    again,
    againLater: edits.outdate,
    arrange,
    choose,
    speak,
    startFrom,
    turnTo,
  };
}

/**
 * The text in the setup of the next run. It counts as soon as it is typed. Its run begins when the field is left, or
 * with the next action on a run.
 */
interface Edits {
  /** Keeps it for the next `settle`. */
  hold(setup: RunSetup): void;
  settle(): void;
  /** Forgets it. */
  drop(): void;
}

/** What a run without a step lacks: `settle` begins it again, and a run that begins has it. */
interface OutdatedRun {
  outdate(): void;
  refreshed(): void;
}

function openEdits(arrange: (setup: RunSetup) => void, again: () => void): Edits & OutdatedRun {
  let held: RunSetup | undefined;
  let isOutdated = false;
  return {
    hold: (setup) => {
      held = setup;
    },
    settle: () => {
      const setup = held;
      held = undefined;
      if (setup !== undefined) arrange(setup);
      else if (isOutdated) again();
      isOutdated = false;
    },
    drop: () => {
      held = undefined;
    },
    outdate: () => {
      isOutdated = true;
    },
    refreshed: () => {
      isOutdated = false;
    },
  };
}
