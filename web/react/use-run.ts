import { useSyncExternalStore } from 'react';
import type { ApprovalAnswer, ConsentRequest, OpenQuestion, Run, RunEnd, RunView } from '../../workers/api.ts';
import { isOver } from '../../workers/run-view.ts';

const noSubscription = () => () => undefined;
const noSnapshot = () => undefined;

/**
 * Renders the component at each change of a run: its view, the question that waits, and functions to drive it. A
 * program starts the run itself, in the handler of an event: React may render and mount a component twice, and a run
 * has effects. Undefined without a run.
 *
 * @experimental
 */
export function useRun(run: Run): RunSnapshot;
export function useRun(run: Run | undefined): RunSnapshot | undefined;
export function useRun(run: Run | undefined): RunSnapshot | undefined {
  const watched = run && watchedRun(run);
  const snapshot = watched?.snapshot ?? noSnapshot;
  return useSyncExternalStore(watched?.subscribe ?? noSubscription, snapshot, snapshot);
}

/** A question for a person. `answer` answers this question, and has no effect on a later question. */
export type RunQuestion =
  | { readonly kind: 'approval'; readonly request: OpenQuestion; readonly answer: Answer }
  | { readonly kind: 'consent'; readonly request: ConsentRequest; readonly answer: Answer };

type Answer = (answer: ApprovalAnswer) => Promise<void>;

/**
 * A run between two records. The snapshot stays the same object until the run changes. Its functions stay the same, and
 * their promises never reject: `error` has the reason.
 */
export interface RunSnapshot {
  readonly view: RunView;
  /**
   * Question that waits for a person. It is also there while `approve` or `consent` of the runtime answers it, and
   * absent while the authorizer is asked, and from a run that goes on elsewhere.
   */
  readonly question?: RunQuestion;
  /**
   * Reason why the run could not begin, why another tab has it (`run_open`), that its runtime was closed with `suspend`
   * (`run_suspended`), or why the newest call of a function failed.
   */
  readonly error?: unknown;
  readonly step: () => Promise<void>;
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly abort: (reason?: string) => Promise<void>;
  readonly say: (task: string) => Promise<void>;
}

type Commands = Pick<RunSnapshot, 'step' | 'pause' | 'resume' | 'abort' | 'say'>;

/** A run as an external store of React. */
class WatchedRun {
  readonly #run: Run;
  readonly #commands: Commands;
  readonly #listeners = new Set<() => void>();
  #error: { readonly error: unknown } | undefined;
  #turn: Promise<RunEnd> | undefined;
  #state: RunSnapshot;

  constructor(run: Run) {
    this.#run = run;
    this.#commands = {
      step: () => this.#do(() => run.step()),
      pause: () => this.#do(() => run.pause()),
      resume: () => this.#do(() => run.resume()),
      abort: (reason) => this.#do(() => run.abort(reason)),
      say: (task) => this.#do(() => run.say(task)),
    };
    this.#state = this.#read();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#attend();
    const leave = this.#run.watch(() => {
      this.#attend();
      listener();
    });
    return () => {
      this.#listeners.delete(listener);
      leave();
    };
  };

  readonly snapshot = (): RunSnapshot => {
    if (this.#state.view !== this.#run.view) this.#state = this.#read();
    return this.#state;
  };

  /** Each turn has a result of its own. */
  #attend(): void {
    if (this.#turn === this.#run.result) return;
    this.#turn = this.#run.result;
    this.#turn.catch((error: unknown) => this.#tell({ error }));
  }

  async #do(act: () => Promise<unknown>): Promise<void> {
    if (this.#error !== undefined) this.#tell(undefined);
    try {
      await act();
    } catch (error) {
      this.#tell({ error });
    }
  }

  #tell(error: { readonly error: unknown } | undefined): void {
    this.#error = error;
    this.#state = this.#read();
    for (const listener of this.#listeners) listener();
  }

  #read(): RunSnapshot {
    const { view } = this.#run;
    const question = this.#questionIn(view);
    return { view, ...(question && { question }), ...this.#error, ...this.#commands };
  }

  /** The question of a run that goes on elsewhere is asked there. */
  #questionIn(view: RunView): RunQuestion | undefined {
    if (isOver(view)) return undefined;
    const { pending, consent } = view;
    const answerTo =
      (digest: string): Answer =>
      (answer) =>
        this.#do(() => this.#run.answer(digest, answer));
    if (pending !== undefined && pending.why === undefined)
      return { kind: 'approval', request: pending, answer: answerTo(pending.digest) };
    return consent && { kind: 'consent', request: consent, answer: answerTo(consent.digest) };
  }
}

const watched = new WeakMap<Run, WatchedRun>();

function watchedRun(run: Run): WatchedRun {
  const known = watched.get(run) ?? new WatchedRun(run);
  watched.set(run, known);
  return known;
}
