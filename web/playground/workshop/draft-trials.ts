import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Trial } from '../lab/lab.ts';
import { sampleOf } from '../parts/schema-sample.ts';
import { type CapabilityDraft, readDraft } from './draft.ts';
import type { DraftLab } from './draft-lab.ts';
import { formatScript, parseScript } from './script-text.ts';

export type TryMode = 'args' | 'script';

/** A tried proposal: its result, or the reason why it could not be tried. */
export interface ProposalTrial {
  readonly proposal: string;
  readonly trial: Trial | undefined;
  readonly trouble: string | undefined;
}

/** The proposals to try with the draft, and the trials of them. */
export interface DraftTrials {
  readonly mode: Signal<TryMode>;
  readonly args: Signal<string>;
  readonly script: Signal<string>;
  readonly tried: ReadonlySignal<readonly ProposalTrial[]>;
  readonly busy: ReadonlySignal<boolean>;
  attempt(): Promise<void>;
  /** Begins anew for another draft. */
  restart(draft: CapabilityDraft, script: readonly string[]): void;
}

export interface DraftTrialsFacts {
  readonly draft: ReadonlySignal<CapabilityDraft>;
  readonly lab: DraftLab;
  /** The stored texts. */
  readonly first: { readonly args: string; readonly script: string } | undefined;
}

export function openDraftTrials({ draft, lab, first }: DraftTrialsFacts): DraftTrials {
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
      if (busy.peek() || !(await lab.prepare())) return;
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
