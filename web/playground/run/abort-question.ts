import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Run } from '../../../workers/api.ts';
import { run as texts } from '../../texts/en/run.ts';
import type { ActionRunner } from '../parts/action-runner.ts';
import type { RunSession } from './session.ts';

/** The question whether a run is to be ended for good. */
export interface Aborting {
  /** Goes on as before. */
  keep(): void;
  end(): void;
}

export interface AbortQuestion {
  readonly asked: ReadonlySignal<Aborting | undefined>;
  /** Asks, and pauses the run meanwhile. It has no effect where this page drives no run. */
  ask(): void;
}

export interface AbortFacts {
  readonly session: ReadonlySignal<RunSession | undefined>;
  readonly attempt: ActionRunner;
}

export function openAbortQuestion({ session, attempt }: AbortFacts): AbortQuestion {
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
