import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import { workshop as texts } from '../../texts/en/workshop.ts';
import { type Lab, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { hashOf, type Problem, type Reading } from './draft.ts';
import { sourceProblem } from './source-problem.ts';

/** The lab of the draft: its sandbox loads the source, which is how the syntax is checked. */
export interface DraftLab {
  /** Faults of the texts, and of the source once the sandbox has tried to load it. */
  readonly problems: ReadonlySignal<readonly Problem[]>;
  /** The sandbox has loaded exactly this draft. */
  readonly loaded: ReadonlySignal<boolean>;
  /** Has the sandbox load the draft now; from then on it does so whenever the hands rest. False: see `problems`. */
  prepare(): Promise<boolean>;
  /** Tries a proposal with the draft as it stands. Rejects where the draft has problems. */
  propose(proposal: string): Promise<Trial>;
  /** Closes the lab, which ends a trial under way. */
  cancel(): void;
  /** Gives the lab's workers back; the draft stays. */
  rest(): void;
}

/** Pause in typing before the sandbox tries the source, because each trial starts a worker. */
const REST_MS = 600;

export function openDraftLab(open: OpenRuntime, reading: ReadonlySignal<Reading>): DraftLab {
  const refused = signal<{ readonly hash: string; readonly problem: Problem } | undefined>(undefined);
  /** Hash of the draft that the sandbox has loaded. */
  const ready = signal<string | undefined>(undefined);
  let lab: { readonly hash: string; readonly opening: Promise<Lab> } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awake = false;

  const cancel = (): void => {
    const old = lab;
    lab = undefined;
    ready.value = undefined;
    void old?.opening.then((each) => each.close()).catch(() => undefined);
  };

  const labFor = (read: Reading & { readonly ok: true }): Promise<Lab> => {
    if (lab?.hash === read.hash) return lab.opening;
    cancel();
    const grants = [{ capability: read.definition.name, mode: 'allow' }] as const;
    const limits = { steps: 10_000, refusalsInRow: 10_000 };
    const opening = openLab(open, { capabilities: [read.definition], grants, guard: false, limits, task: 'Try it' });
    lab = { hash: read.hash, opening };
    return opening;
  };

  const prepare = async (): Promise<boolean> => {
    clearTimeout(timer);
    awake = true;
    const read = reading.peek();
    if (!read.ok) return false;
    try {
      await labFor(read);
      ready.value = read.hash;
      return true;
    } catch (error) {
      refused.value = { hash: read.hash, problem: sourceProblem(error) };
      if (lab?.hash === read.hash) cancel();
      return false;
    }
  };

  effect(() => {
    const hash = hashOf(reading.value);
    clearTimeout(timer);
    if (awake && hash !== undefined && hash !== lab?.hash) timer = setTimeout(() => void prepare(), REST_MS);
  });

  return {
    problems: computed(() => {
      const read = reading.value;
      if (!read.ok) return read.problems;
      return refused.value?.hash === read.hash ? [refused.value.problem] : [];
    }),
    loaded: computed(() => ready.value !== undefined && ready.value === hashOf(reading.value)),
    prepare,
    propose: async (proposal) => {
      const read = reading.peek();
      if (!read.ok) throw new Error(texts().problemsFirst);
      const trial = await (await labFor(read)).propose(proposal);
      // a guest that hung is not started again in its run: the next try gets another
      if (trial.receipt.body.evidence.ended_by === 'hang') cancel();
      return trial;
    },
    cancel,
    rest: () => {
      awake = false;
      clearTimeout(timer);
      cancel();
    },
  };
}
