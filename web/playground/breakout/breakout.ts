import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { CapabilityDefinition } from '../../../workers/api.ts';
import type { Lab, OpenRuntime } from '../lab/lab.ts';
import { ATTEMPTS, type AttackVerdict, attempt, type BreakoutAttempt, openBreakout } from './attempts.ts';
import { watchPauses } from './page-pauses.ts';

/** The break-out page: the attempts in the open lab, and how each ended. */
export interface Breakout {
  readonly selected: Signal<string>;
  readonly results: ReadonlySignal<ReadonlyMap<string, AttackVerdict>>;
  /** The attempt that is under way. */
  readonly current: ReadonlySignal<string | undefined>;
  /** The number of finished attempts, while several were requested. */
  readonly progress: ReadonlySignal<{ readonly done: number; readonly of: number } | undefined>;
  /** The longest this page did not answer while attacks ran, in ms. */
  readonly pauseMs: ReadonlySignal<number | undefined>;
  /** Why the last attempts could not be made. */
  readonly trouble: ReadonlySignal<unknown>;
  run(attempts: readonly BreakoutAttempt[]): Promise<void>;
  cancel(): Promise<void>;
  /** The lab's run as a file; ends it. */
  save(): Promise<string | undefined>;
  close(): Promise<void>;
}

export function openBreakoutPage(open: OpenRuntime, catalogue: readonly CapabilityDefinition[]): Breakout {
  const results = signal<ReadonlyMap<string, AttackVerdict>>(new Map());
  const current = signal<string | undefined>(undefined);
  const progress = signal<{ done: number; of: number } | undefined>(undefined);
  const trouble = signal<unknown>(undefined);
  const pauses = watchPauses();
  const selected = signal(ATTEMPTS[0]?.id ?? '');
  let lab: Promise<Lab> | undefined;
  let tried = new Set<string>();
  let cancelled = false;

  /** A guest that hung is not started twice in a run, so a repeated attempt gets a fresh lab. */
  async function labFor(id: string): Promise<Lab> {
    if (tried.has(id)) await close();
    lab ??= openBreakout(open, catalogue);
    tried.add(id);
    return lab;
  }

  async function close(): Promise<void> {
    const old = lab;
    lab = undefined;
    tried = new Set();
    await (await old?.catch(() => undefined))?.close();
  }

  async function run(attempts: readonly BreakoutAttempt[]): Promise<void> {
    if (current.peek() !== undefined) return;
    cancelled = false;
    trouble.value = undefined;
    const stop = pauses.start();
    try {
      for (const [done, each] of attempts.entries()) {
        if (attempts.length > 1) progress.value = { done, of: attempts.length };
        current.value = each.id;
        selected.value = each.id;
        const verdict = await attempt(await labFor(each.id), each);
        results.value = new Map(results.value).set(each.id, verdict);
        if (cancelled) break;
      }
    } catch (error) {
      if (!cancelled) trouble.value = error;
    } finally {
      stop();
      current.value = undefined;
      progress.value = undefined;
    }
  }

  return {
    selected,
    results,
    current,
    progress,
    pauseMs: pauses.longestMs,
    trouble,
    run,
    cancel: async () => {
      cancelled = true;
      await close();
    },
    save: async () => {
      const file = await (await lab)?.seal();
      await close();
      return file;
    },
    close,
  };
}
