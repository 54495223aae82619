import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { ModelPort, ResumeOptions, Run, Runtime } from '../../../workers/api.ts';
import { run as texts } from '../../texts/en/run.ts';
import type { ActionRunner } from '../parts/action-runner.ts';
import type { ProposerChoice } from './proposer.ts';
import {
  openScenarioOf,
  type ResumedProposers,
  type ResumedRun,
  type RunChoices,
  type StartedRun,
  scenarioOf,
  takeUp,
  takeUpRun,
} from './run-start.ts';
import { followRun, type RunSession, readRun } from './session.ts';

/** The open run: driven here, only read, or followed while another tab drives it. */
export interface CurrentRun {
  readonly session: ReadonlySignal<RunSession | undefined>;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
  /** The other tab is asked to let the run go, and has not yet. */
  readonly taking: ReadonlySignal<boolean>;
  show(next: RunSession | undefined): void;
  /**
   * Opens a run of this device, to drive it if this page holds it, or else to read it. False if there is no run of this
   * id.
   */
  open(id: string): Promise<boolean>;
  /** Drives a run from here on, until another tab takes it. */
  drive(run: Run, proposer: ProposerChoice): void;
  /** Shows a run whose calls a program of this page makes, such as an undo. Its questions are answered here. */
  attend(run: Run): void;
  /**
   * Resumes the youngest unfinished run; false where there is none. A run that was opened meanwhile stays open, and the
   * resumed one then waits in the list.
   */
  resume(): Promise<boolean>;
  /**
   * Goes on here with a run that no tab drives. Rejects where no scenario here fits the run, or where the run has
   * ended.
   */
  takeUp(id: string): Promise<StartedRun>;
  /** Has the other tab that drives the run let it go, and goes on with it here. */
  takeOver(): void;
}

export interface CurrentRunFacts {
  readonly runtime: Runtime;
  /** The runs of the device, from the reading that is under way if there is one. Absent: each is read anew. */
  readonly rows?: Runtime['runs'];
  /** A run that is taken up changes their scenario. */
  readonly choices: RunChoices;
  /** The model that can propose now, where the third proposer has one. */
  readyModel(): ModelPort | undefined;
  readonly attempt: ActionRunner;
  /** Another run is looked at from now on. */
  turned(): void;
  /** The run has come to an end; a conversation may do so more than once. */
  ended(): void;
}

export function openCurrentRun(facts: CurrentRunFacts): CurrentRun {
  const { runtime, choices, readyModel, attempt, turned, ended, rows = () => runtime.runs() } = facts;
  const { shelf, scenario: chosenScenario, chosen, preferred } = choices;
  const session = signal<RunSession | undefined>(undefined);
  /** Waits for another tab; opening another run ends the wait. */
  const taking = signal<AbortController | undefined>(undefined);

  const show = (next: RunSession | undefined): void => {
    taking.peek()?.abort();
    taking.value = undefined;
    session.peek()?.close();
    turned();
    session.value = next;
  };

  /** The runs that this page drives, open or not. */
  const driven = new Map<string, ResumedRun>();
  /** The runs whose calls a program of this page makes. */
  const attended = new Map<string, Run>();

  const read = (id: string, taken?: 'taken'): Promise<RunSession | undefined> =>
    readRun({ ledger: runtime.ledger, follow: (...given) => runtime.follow(...given), runs: rows }, id, taken);

  const open = async (id: string): Promise<boolean> => {
    const undo = attended.get(id);
    if (undo !== undefined && undo.view.end === undefined) {
      followHere(undo);
      return true;
    }
    const own = driven.get(id);
    // a turn that was completed may be followed by another
    if (own !== undefined && (own.run.view.end?.state ?? 'completed') === 'completed') return goOn(own);
    const found = await read(id);
    if (found === undefined) return false;
    show(found);
    chosen.value = preferred.peek();
    const records = found.records.peek();
    const scenario = found.isForeign
      ? openScenarioOf(shelf, records, chosenScenario.peek())
      : await scenarioOf(shelf, records);
    // the next run is of the scenario that is looked at
    if (scenario !== undefined && scenario.id !== chosenScenario.peek().id && session.peek() === found)
      chosenScenario.value = scenario;
    return true;
  };

  const hold = (begun: ResumedRun): void => void driven.set(begun.run.id, begun);

  const drive = (run: Run, proposer: ProposerChoice): void => {
    hold({ run, proposer, scenario: chosenScenario.peek() });
    followHere(run, proposer);
  };

  const attend = (run: Run): void => {
    attended.set(run.id, run);
    followHere(run);
  };

  const followHere = (run: Run, proposer?: ProposerChoice): void => {
    const own = followRun(runtime, run, proposer);
    show(own);
    // a run that could not be started, or whose end is unknown
    attempt(texts().actions.run, () => run.result);
    watchEnds(own, {
      taken: () => lose(own),
      ended: () => {
        ended();
        attempt(texts().actions.verify, () => own.verify());
      },
    });
  };

  /** Another tab goes on with it: here it is read from now on. */
  const lose = (own: RunSession): void =>
    attempt(texts().actions.follow, async () => {
      const followed = await read(own.id, 'taken');
      if (session.peek() === own) show(followed);
      else followed?.close();
    });

  const goOn = (begun: ResumedRun | undefined): boolean => {
    if (begun === undefined) return false;
    chosenScenario.value = begun.scenario;
    chosen.value = begun.proposer.chosen.peek();
    drive(begun.run, begun.proposer);
    return true;
  };

  const resume = async (): Promise<boolean> => {
    const begun = await takeUp(runtime, await rows(), shelf, proposers());
    const opened = session.peek();
    if (begun === undefined || opened === undefined || opened.id === begun.run.id) return goOn(begun);
    hold(begun);
    return true;
  };

  const proposers = (): ResumedProposers => ({ chosen: chosen.peek(), model: readyModel() });

  const takeUpHere = async (id: string, options?: ResumeOptions): Promise<StartedRun> => {
    const begun = await takeUpRun(runtime, shelf, proposers(), id, options);
    // from here on the signal would end the run
    taking.value = undefined;
    if (begun === undefined) throw new Error(texts().noScenario);
    goOn(begun);
    return begun;
  };

  const takeOver = (): void =>
    attempt(texts().actions.takeOver, async () => {
      const own = session.peek();
      if (own === undefined || taking.peek() !== undefined) return;
      const waiting = new AbortController();
      const { signal: wanted } = waiting;
      taking.value = waiting;
      try {
        await takeUpHere(own.id, { takeOver: true, signal: wanted });
      } catch (error) {
        if (wanted.aborted) return;
        taking.value = undefined;
        throw error;
      }
    });

  return {
    session,
    records: computed(() => session.value?.records.value ?? []),
    taking: computed(() => taking.value !== undefined),
    show,
    open,
    drive,
    attend,
    resume,
    takeUp: takeUpHere,
    takeOver,
  };
}

/** Calls `ended` each time that the run comes to an end, and `taken` when another tab takes it. */
function watchEnds(own: RunSession, { taken, ended }: { taken(): void; ended(): void }): void {
  let over = false;
  effect(() => {
    if (own.view.value?.taken) return untracked(taken);
    const isOver = own.view.value?.end !== undefined;
    if (isOver && !over) untracked(ended);
    over = isOver;
  });
}
