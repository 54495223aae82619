import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { JsonValue } from '../../../core/index.ts';
import type { ApprovalAnswer, EditedQuestion, Run, Runtime } from '../../../workers/api.ts';
import { run as texts } from '../../texts/en/run.ts';
import type { FileWorker } from '../files/file-worker.ts';
import type { ActionRunner } from '../parts/action-runner.ts';
import type { CurrentRun } from './current-run.ts';
import type { NextRun } from './next-run.ts';
import { openFile, type RunSession } from './session.ts';

/** The actions of a person on the open run. A fault of an action is shown in the status line. */
export interface RunActions {
  step(): void;
  run(): void;
  pause(): void;
  /** Asks first: an aborted run cannot go on. */
  abort(): void;
  /** Ends the request to the model, and pauses: the run can ask again. */
  cancelRequest(): void;
  readonly aborting: ReadonlySignal<Aborting | undefined>;
  send(text: string): void;
  /** Answers the question with this digest. */
  answer(digest: string, answer: ApprovalAnswer): void;
  /** Answers with a signed yes, and rejects where it does not count: the card tells why, and asks again. */
  sign(digest: string, answer: ApprovalAnswer): Promise<void>;
  /** The question with edited arguments. Rejects with the reason why the edited call is refused. */
  edit(digest: string, args: JsonValue): Promise<EditedQuestion>;
  /** Gives a completed conversation its next task. */
  say(task: string): void;
  /** Opens an exported run to read it, without storing it. */
  openFile(file: File): void;
}

interface RunActionsFacts {
  readonly runtime: Runtime;
  readonly files: FileWorker;
  readonly current: CurrentRun;
  readonly next: Pick<NextRun, 'edits' | 'choose'>;
  readonly attempt: ActionRunner;
  /** False where a model was chosen, and this run has none. */
  proposes(): boolean;
}

type DrivenRun = RunSession & { readonly run: Run };

export function openRunActions({ runtime, files, current, next, attempt, proposes }: RunActionsFacts): RunActions {
  const { session } = current;
  const abortQuestion = openAbortQuestion({ session, attempt });

  /** Acts on a run that this page drives. */
  const live = (what: string, act: (own: DrivenRun) => Promise<unknown>): void => {
    next.edits.settle();
    const own = session.value;
    if (own?.run !== undefined) attempt(what, () => act(own as DrivenRun));
  };

  /** Lets the chosen proposer propose. */
  const drive = (what: string, act: (own: DrivenRun) => Promise<unknown>): void =>
    live(what, async (own) => {
      // the program of a session makes its calls
      if (own.proposer === undefined) return;
      if (!proposes()) throw new Error(texts().noModel);
      await act(own);
    });

  return {
    step: () => drive(texts().actions.step, (own) => own.run.step()),
    run: () => drive(texts().actions.run, (own) => own.run.run()),
    pause: () => live(texts().actions.pause, (own) => own.run.pause()),
    abort: abortQuestion.ask,
    cancelRequest: () =>
      live(texts().actions.cancelRequest, async ({ run, proposer }) => {
        if (run.view.mode !== 'paused') void run.pause();
        proposer?.cancel();
      }),
    aborting: abortQuestion.asked,
    send: (text) =>
      live(texts().actions.step, async ({ run, proposer }) => {
        const busy = run.view.mode !== 'paused';
        proposer?.send(text);
        if (!busy) await run.step();
      }),
    edit: async (digest, args) => {
      const run = session.peek()?.run;
      if (run === undefined) throw new Error(texts().noModel);
      return run.edit(digest, args);
    },
    answer: (digest, answer) => live(texts().actions.answer, ({ run }) => run.answer(digest, answer)),
    sign: async (digest, answer) => session.peek()?.run?.answer(digest, answer),
    say: (task) =>
      attempt(texts().actions.nextTask, async () => {
        const own = session.value;
        if (own === undefined) return;
        const { run, proposer } = own.run === undefined ? await current.takeUp(own.id) : (own as DrivenRun);
        if (proposer?.chosen.peek() === 'script') next.choose('you');
        await run.say(task);
      }),
    openFile: (file) =>
      attempt(texts().actions.openFile, async () => current.show(await openFile(runtime, files, file))),
  };
}

/** The question whether a run is to be ended for good. */
interface Aborting {
  /** Goes on as before. */
  keep(): void;
  end(): void;
}

interface AbortQuestion {
  readonly asked: ReadonlySignal<Aborting | undefined>;
  /** Asks, and pauses the run meanwhile. It has no effect where this page drives no run. */
  ask(): void;
}

interface AbortFacts {
  readonly session: ReadonlySignal<RunSession | undefined>;
  readonly attempt: ActionRunner;
}

function openAbortQuestion({ session, attempt }: AbortFacts): AbortQuestion {
  const asking = signal<{ readonly run: Run; readonly wasRunning: boolean } | undefined>(undefined);

  effect(() => {
    const own = session.value;
    // a run that has come to its end meanwhile, or is no longer looked at, needs no answer
    if (asking.value !== undefined && (own?.run !== asking.value.run || own.view.value?.end !== undefined))
      asking.value = undefined;
  });

  const close = (): { readonly run: Run; readonly wasRunning: boolean } | undefined => {
    const was = asking.peek();
    asking.value = undefined;
    return was;
  };

  const answers: Aborting = {
    keep: () => {
      const was = close();
      if (was?.wasRunning === true) attempt(texts().actions.run, () => was.run.run());
    },
    end: () => {
      const was = close();
      if (was !== undefined) attempt(texts().actions.abort, () => was.run.abort('stopped by a person'));
    },
  };

  return {
    asked: computed(() => (asking.value === undefined ? undefined : answers)),
    ask: () => {
      const own = session.peek();
      if (own?.run === undefined || own.view.peek()?.end !== undefined) return;
      const { run } = own;
      const wasRunning = run.view.mode === 'running';
      if (wasRunning) attempt(texts().actions.pause, () => run.pause());
      asking.value = { run, wasRunning };
    },
  };
}
