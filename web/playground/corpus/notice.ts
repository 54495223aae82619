import { type ReadonlySignal, signal } from '@preact/signals-core';

/** The last thing the panel has to say. */
export interface CorpusNotice {
  readonly tone: 'good' | 'wait' | 'bad';
  /** The result in the language of the moment; empty for a failure. */
  readonly text: string;
  /** Why an action failed. */
  readonly error?: unknown;
  /** A button beside the text, until the next action. */
  readonly action?: NoticeAction;
}

export interface NoticeAction {
  readonly kind: 'undo' | 'replace' | 'takeBack';
  act(): Promise<void>;
}

/** The line in which the panel reports the result of an action. */
export interface NoticeLine {
  readonly said: ReadonlySignal<CorpusNotice | undefined>;
  /** Reports a success; `undo` takes it back, and reports that. */
  tell(text: () => string, undo?: () => Promise<void>): void;
  /** Asks before an action that cannot be taken back. */
  ask(text: () => string, act: () => Promise<void>, kind: 'replace' | 'takeBack'): void;
  /** Reports a refusal in the kernel's words; the content is unchanged then. */
  refused(error: unknown): undefined;
  /** Empties the line and does the work. A failure is reported, and the result is undefined. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function openNoticeLine(): NoticeLine {
  const said = signal<CorpusNotice | undefined>(undefined);
  const refused = (error: unknown): undefined => {
    said.value = { tone: 'bad', text: '', error };
  };
  return {
    said,
    tell: (text, undo) => {
      said.value = notice('good', text, undo && { kind: 'undo', act: undo });
    },
    ask: (text, act, kind) => {
      said.value = notice('wait', text, { kind, act });
    },
    refused,
    attempt: async (work) => {
      said.value = undefined;
      return work().catch(refused);
    },
  };
}

function notice(tone: CorpusNotice['tone'], text: () => string, action: NoticeAction | undefined): CorpusNotice {
  return {
    tone,
    get text() {
      return text();
    },
    ...(action && { action }),
  };
}
