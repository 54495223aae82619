import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Runtime, RuntimeInfo } from '../../workers/api.ts';
import { language } from '../texts/language.ts';
import { START, type StartTexts } from '../texts/start.ts';

/** A runtime that is being opened, for views that are drawn before the kernel answers. */
export interface OpeningRuntime {
  /**
   * Its asynchronous operations wait until the runtime is open, and fail if it cannot be opened. `info`, `start` and
   * `openSession` throw until it is open.
   */
  readonly runtime: Runtime;
  /** Undefined until the runtime is open. */
  readonly info: ReadonlySignal<RuntimeInfo | undefined>;
  /** A sentence on the progress of the opening. */
  readonly progress: ReadonlySignal<string>;
  readonly opened: Promise<Runtime>;
}

/** ms after which an opening that tells no progress is late. */
const LATE_MS = 10_000;

/** `open` is called at once; its callback takes the share of a long opening that is done, from 0 to 1. */
export function openingRuntime(open: (onProgress: (share: number) => void) => Promise<Runtime>): OpeningRuntime {
  const info = signal<RuntimeInfo | undefined>(undefined);
  const stage = signal<(texts: StartTexts) => string>(({ starting }) => starting);
  const late = setTimeout(() => (stage.value = (texts) => texts.late), LATE_MS);
  const opened = open((share) => {
    clearTimeout(late);
    stage.value = ({ preparing }) => preparing(Math.round(share * 100));
  }).finally(() => clearTimeout(late));
  let there: Runtime | undefined;
  const settle = async (): Promise<void> => {
    there = await opened;
    info.value = there.info;
  };
  // Each operation tells of the failure.
  settle().catch(() => undefined);
  const now = (): Runtime => {
    if (there === undefined) throw new Error(START[language.peek()].stillStarting);
    return there;
  };
  const progress = computed(() => stage.value(START[language.value]));
  return { runtime: waitingRuntime(opened, now), info, progress, opened };
}

function waitingRuntime(opened: Promise<Runtime>, now: () => Runtime): Runtime {
  const part = <N extends Part>(name: N): Runtime[N] => waiting(opened.then((runtime) => runtime[name]));
  return {
    get info() {
      return now().info;
    },
    capabilities: part('capabilities'),
    tools: part('tools'),
    powers: part('powers'),
    grants: part('grants'),
    held: part('held'),
    answerSigned: async (...given) => (await opened).answerSigned(...given),
    content: part('content'),
    ledger: part('ledger'),
    storage: part('storage'),
    start: (options) => now().start(options),
    openSession: (options) => now().openSession(options),
    resume: async (...given) => (await opened).resume(...given),
    questions: async function* (...given) {
      yield* (await opened).questions(...given);
    },
    follow: async function* (...given) {
      yield* (await opened).follow(...given);
    },
    undo: async (options) => (await opened).undo(options),
    undoPlan: async (target) => (await opened).undoPlan(target),
    runs: async () => (await opened).runs(),
    close: async () => (await opened).close(),
    [Symbol.asyncDispose]: async () => (await opened).close(),
  };
}

type Part = 'capabilities' | 'tools' | 'powers' | 'grants' | 'held' | 'content' | 'ledger' | 'storage';

/** An object whose asynchronous methods can be called before it is there. */
function waiting<T extends object>(there: Promise<T>): T {
  there.catch(() => undefined);
  const method =
    (name: keyof T) =>
    async (...given: readonly unknown[]): Promise<unknown> =>
      ((await there)[name] as (...given: readonly unknown[]) => unknown)(...given);
  return new Proxy({} as T, { get: (_, name) => method(name as keyof T) });
}
