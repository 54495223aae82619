import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { sentenceOf } from '../../shared/error-text.ts';
import { type Lab, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { sampleOf } from '../parts/schema-sample.ts';
import { BLANK, type CapabilityDraft, type Problem, type Reading, readDraft } from './draft.ts';
import { keepDrafts } from './draft-storage.ts';
import { formatScript, parseScript } from './script-text.ts';
import { sourceProblem } from './source-problem.ts';

export type TryMode = 'args' | 'script';

/** A tried proposal: its result, or the reason why it could not be tried. */
export interface ProposalTrial {
  readonly proposal: string;
  readonly trial: Trial | undefined;
  readonly trouble: string | undefined;
}

/** A capability being written, and tried in a lab of its own. The page's runtime never registers it. */
export interface Workshop {
  readonly draft: ReadonlySignal<CapabilityDraft>;
  readonly changed: ReadonlySignal<boolean>;
  /** Hash of the definition from which the draft was made, if that definition is complete. */
  readonly hashBefore: ReadonlySignal<string | undefined>;
  readonly reading: ReadonlySignal<Reading>;
  /** Faults of the texts, and of the source once the sandbox has tried to load it. */
  readonly problems: ReadonlySignal<readonly Problem[]>;
  /** The sandbox has loaded exactly this draft. */
  readonly loaded: ReadonlySignal<boolean>;
  readonly mode: Signal<TryMode>;
  readonly args: Signal<string>;
  readonly script: Signal<string>;
  readonly tried: ReadonlySignal<readonly ProposalTrial[]>;
  readonly busy: ReadonlySignal<boolean>;
  /** A draft was replaced and can be had back. */
  readonly replaced: ReadonlySignal<CapabilityDraft | undefined>;
  edit(change: Partial<CapabilityDraft>): void;
  open(draft: CapabilityDraft, script?: readonly string[]): void;
  revert(): void;
  bringBack(): void;
  /** Has the sandbox load the draft now; from then on it does so whenever the hands rest. False: see `problems`. */
  prepare(): Promise<boolean>;
  attempt(): Promise<void>;
  cancel(): void;
  /** Gives the lab's workers back; the draft stays. */
  rest(): void;
}

/** Pause in typing before the sandbox tries the source, because each trial starts a worker. */
const REST_MS = 600;

export function openWorkshop(open: OpenRuntime): Workshop {
  const kept = keepDrafts();
  const first = kept.read();
  const draft = signal(first?.draft ?? BLANK);
  const base = signal(first?.base ?? BLANK);
  const replaced = signal<CapabilityDraft | undefined>(undefined);
  const reading = computed(() => readDraft(draft.value));
  const refused = signal<{ readonly hash: string; readonly problem: Problem } | undefined>(undefined);
  const args = signal(first?.args ?? argsFor(draft.peek()));
  const script = signal(first?.script ?? '');
  const mode = signal<TryMode>('args');
  const tried = signal<readonly ProposalTrial[]>([]);
  const busy = signal(false);
  const ready = signal<string | undefined>(undefined);
  let lab: { readonly hash: string; readonly opening: Promise<Lab> } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awake = false;

  const hashOf = (read: Reading): string | undefined => (read.ok ? read.hash : undefined);
  const problems = computed<readonly Problem[]>(() => {
    const read = reading.value;
    if (!read.ok) return read.problems;
    return refused.value?.hash === read.hash ? [refused.value.problem] : [];
  });

  function drop(): void {
    const old = lab;
    lab = undefined;
    ready.value = undefined;
    void old?.opening.then((each) => each.close()).catch(() => undefined);
  }

  /** The lab for the draft as it stands; the source is loaded on the way, which is how its syntax is checked. */
  function labFor(read: Reading & { readonly ok: true }): Promise<Lab> {
    if (lab?.hash === read.hash) return lab.opening;
    drop();
    const grants = [{ capability: read.definition.name, mode: 'allow' }] as const;
    const limits = { steps: 10_000, refusalsInRow: 10_000 };
    const opening = openLab(open, { capabilities: [read.definition], grants, guard: false, limits, task: 'Try it' });
    lab = { hash: read.hash, opening };
    return opening;
  }

  async function prepare(): Promise<boolean> {
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
      if (lab?.hash === read.hash) drop();
      return false;
    }
  }

  effect(() => {
    const hash = hashOf(reading.value);
    clearTimeout(timer);
    if (awake && hash !== undefined && hash !== lab?.hash) timer = setTimeout(() => void prepare(), REST_MS);
  });
  effect(() => kept.write({ draft: draft.value, base: base.value, args: args.value, script: script.value }));

  async function attemptOne(proposal: string): Promise<ProposalTrial> {
    const read = reading.peek();
    try {
      if (!read.ok) throw new Error('The draft has problems. Solve them first.');
      const trial = await (await labFor(read)).propose(proposal);
      // a guest that hung is not started again in its run: the next try gets another
      if (trial.receipt.body.evidence.ended_by === 'hang') drop();
      return { proposal, trial, trouble: undefined };
    } catch (error) {
      return { proposal, trial: undefined, trouble: sentenceOf(error) };
    }
  }

  async function attempt(): Promise<void> {
    if (busy.peek() || !(await prepare())) return;
    busy.value = true;
    tried.value = [];
    const { name } = draft.peek();
    const texts = mode.peek() === 'script' ? parseScript(script.peek()) : [proposalOf(name, args.peek())];
    for (const text of texts) {
      const done = await attemptOne(text);
      tried.value = [...tried.value, done];
      if (done.trouble !== undefined) break;
    }
    busy.value = false;
  }

  return {
    draft,
    changed: computed(() => JSON.stringify(draft.value) !== JSON.stringify(base.value)),
    hashBefore: computed(() => hashOf(readDraft(base.value))),
    reading,
    problems,
    loaded: computed(() => ready.value !== undefined && ready.value === hashOf(reading.value)),
    mode,
    args,
    script,
    tried,
    busy,
    replaced,
    edit: (change) => {
      draft.value = { ...draft.peek(), ...change };
    },
    open: (next, texts = []) => {
      const unsaved = JSON.stringify(draft.peek()) !== JSON.stringify(base.peek());
      replaced.value = unsaved ? draft.peek() : undefined;
      draft.value = next;
      base.value = next;
      args.value = argsFor(next);
      script.value = formatScript(texts);
      mode.value = texts.length > 0 ? 'script' : 'args';
      tried.value = [];
    },
    revert: () => {
      replaced.value = draft.peek();
      draft.value = base.peek();
    },
    bringBack: () => {
      const back = replaced.peek();
      replaced.value = undefined;
      if (back !== undefined) draft.value = back;
    },
    prepare,
    attempt,
    cancel: drop,
    rest: () => {
      awake = false;
      clearTimeout(timer);
      drop();
    },
  };
}

/** The arguments are the typed text, unparsed: the gate refuses a member that occurs twice. */
function proposalOf(name: string, args: string): string {
  return `{"next_step":{"tool":${JSON.stringify(name)},"arguments":${args},"goal":"Try it"}}`;
}

function argsFor(draft: CapabilityDraft): string {
  const read = readDraft(draft);
  return read.ok ? JSON.stringify(sampleOf(read.definition.args), null, 2) : '{}';
}
