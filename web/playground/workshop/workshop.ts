import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { isObject, type JsonValue } from '../../../core/index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import { type Lab, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import type { EditorMark } from '../parts/code-editor.ts';
import { sampleOf } from '../parts/schema-sample.ts';
import {
  BLANK,
  type CapabilityDraft,
  formatScript,
  hashOf,
  type Problem,
  parseScript,
  type Reading,
  readDraft,
} from './draft.ts';
import { sourceProblem } from './source-problem.ts';

/** A capability being written, and tried in a lab of its own. The page's runtime never registers it. */
export interface Workshop
  extends Omit<DraftEdits, 'base' | 'replace'>,
    Omit<DraftLab, 'propose'>,
    Omit<DraftTrials, 'restart'> {
  open(draft: CapabilityDraft, script?: readonly string[]): void;
  /** The place in the source at which a trial of this very draft was stopped. */
  readonly fault: ReadonlySignal<EditorMark | undefined>;
  mark(fault: EditorMark): void;
}

export function openWorkshop(open: OpenRuntime): Workshop {
  const storage = keepDrafts();
  const first = storage.read();
  const edits = openDraftEdits(first ?? { draft: BLANK, base: BLANK });
  const { draft, base } = edits;
  const lab = openDraftLab(open, edits.reading);
  const trials = openDraftTrials({ draft, lab, first });
  const { args, script } = trials;
  effect(() => storage.write({ draft: draft.value, base: base.value, args: args.value, script: script.value }));
  const marked = signal<{ readonly of: string | undefined; readonly fault: EditorMark } | undefined>(undefined);
  return {
    ...edits,
    ...lab,
    ...trials,
    fault: computed(() => (marked.value?.of === hashOf(edits.reading.value) ? marked.value?.fault : undefined)),
    mark: (fault) => void (marked.value = { of: hashOf(edits.reading.peek()), fault }),
    open: (next, texts = []) => {
      edits.replace(next);
      trials.restart(next, texts);
    },
  };
}

/** The draft in a person's hands, and the definition that it was made from. */
interface DraftEdits {
  readonly draft: ReadonlySignal<CapabilityDraft>;
  /** The draft as it was opened. */
  readonly base: ReadonlySignal<CapabilityDraft>;
  readonly changed: ReadonlySignal<boolean>;
  /** Hash of the definition from which the draft was made, if that definition is complete. */
  readonly hashBefore: ReadonlySignal<string | undefined>;
  readonly reading: ReadonlySignal<Reading>;
  /** A draft was replaced and can be had back. */
  readonly replaced: ReadonlySignal<CapabilityDraft | undefined>;
  edit(change: Partial<CapabilityDraft>): void;
  replace(draft: CapabilityDraft): void;
  revert(): void;
  bringBack(): void;
}

function openDraftEdits(first: Record<'draft' | 'base', CapabilityDraft>): DraftEdits {
  const draft = signal(first.draft);
  const base = signal(first.base);
  const replaced = signal<CapabilityDraft | undefined>(undefined);
  const changed = computed(() => JSON.stringify(draft.value) !== JSON.stringify(base.value));
  return {
    draft,
    base,
    changed,
    hashBefore: computed(() => hashOf(readDraft(base.value))),
    reading: computed(() => readDraft(draft.value)),
    replaced,
    edit: (change) => {
      draft.value = { ...draft.peek(), ...change };
    },
    replace: (next) => {
      replaced.value = changed.peek() ? draft.peek() : undefined;
      draft.value = next;
      base.value = next;
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
  };
}

/** The lab of the draft: its sandbox loads the source, which is how the syntax is checked. */
interface DraftLab {
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

function openDraftLab(open: OpenRuntime, reading: ReadonlySignal<Reading>): DraftLab {
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

/** The stored state of the workshop. */
interface StoredDraft {
  readonly draft: CapabilityDraft;
  readonly base: CapabilityDraft;
  readonly args: string;
  readonly script: string;
}

interface Drafts {
  read(): StoredDraft | undefined;
  write(kept: StoredDraft): void;
}

const KEY = 'sallyport.draft';

/**
 * The draft in this device's storage, where the browser allows it; without storage the draft lasts until the page is
 * closed.
 */
function keepDrafts(): Drafts {
  return {
    read: () => {
      try {
        const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as JsonValue;
        return isKept(kept) ? (kept as unknown as StoredDraft) : undefined;
      } catch {
        return undefined;
      }
    },
    write: (kept) => {
      try {
        localStorage.setItem(KEY, JSON.stringify(kept));
      } catch {
        return;
      }
    },
  };
}

function isKept(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { draft, base, args, script } = value;
  return isDraft(draft) && isDraft(base) && typeof args === 'string' && typeof script === 'string';
}

/** A stored draft that lacks a member is not restored. */
function isDraft(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  return Object.entries(BLANK).every(([field, blank]) => {
    const kept = value[field];
    return Array.isArray(blank) ? Array.isArray(kept) : typeof kept === typeof blank && kept !== null;
  });
}

export type TryMode = 'args' | 'script';

/** A tried proposal: its result, or the reason why it could not be tried. */
export interface ProposalTrial {
  readonly proposal: string;
  readonly trial: Trial | undefined;
  readonly trouble: string | undefined;
}

/** The proposals to try with the draft, and the trials of them. */
interface DraftTrials {
  readonly mode: Signal<TryMode>;
  readonly args: Signal<string>;
  readonly script: Signal<string>;
  readonly tried: ReadonlySignal<readonly ProposalTrial[]>;
  readonly busy: ReadonlySignal<boolean>;
  attempt(): Promise<void>;
  /** Begins anew for another draft. */
  restart(draft: CapabilityDraft, script: readonly string[]): void;
}

interface DraftTrialsFacts {
  readonly draft: ReadonlySignal<CapabilityDraft>;
  readonly lab: DraftLab;
  /** The stored texts. */
  readonly first: { readonly args: string; readonly script: string } | undefined;
}

function openDraftTrials({ draft, lab, first }: DraftTrialsFacts): DraftTrials {
  const mode = signal<TryMode>('args');
  const args = signal(first?.args ?? argsFor(draft.peek()));
  const script = signal(first?.script ?? '');
  const tried = signal<readonly ProposalTrial[]>([]);
  const busy = signal(false);

  const attemptOne = async (proposal: string): Promise<ProposalTrial> => {
    try {
      return { proposal, trial: await lab.propose(proposal), trouble: undefined };
    } catch (error) {
      return { proposal, trial: undefined, trouble: sentenceOf(error) };
    }
  };

  return {
    mode,
    args,
    script,
    tried,
    busy,
    attempt: async () => {
      if (busy.peek()) return;
      busy.value = true;
      // what an earlier draft did is no verdict on this one
      tried.value = [];
      if (!(await lab.prepare())) {
        tried.value = [{ proposal: '', trial: undefined, trouble: texts().tryout.notTried }];
        busy.value = false;
        return;
      }
      const { name } = draft.peek();
      const proposals = mode.peek() === 'script' ? parseScript(script.peek()) : [proposalOf(name, args.peek())];
      for (const text of proposals) {
        const done = await attemptOne(text);
        tried.value = [...tried.value, done];
        if (done.trouble !== undefined) break;
      }
      busy.value = false;
    },
    restart: (next, texts) => {
      args.value = argsFor(next);
      script.value = formatScript(texts);
      mode.value = texts.length > 0 ? 'script' : 'args';
      tried.value = [];
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
