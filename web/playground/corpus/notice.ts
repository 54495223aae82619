import { type ReadonlySignal, signal } from '@preact/signals-core';
import { sentenceOf } from '../../shared/error-text.ts';

/** The last thing the panel has to say. */
export interface CorpusNotice {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** The line in which the panel reports the result of an action. */
export interface NoticeLine {
  readonly said: ReadonlySignal<CorpusNotice | undefined>;
  /** Reports a success. */
  tell(text: string): void;
  /** Reports a refusal in the kernel's words; the content is unchanged then. */
  refused(error: unknown): undefined;
  /** Empties the line and does the work. A failure is reported, and the result is undefined. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function openNoticeLine(): NoticeLine {
  const said = signal<CorpusNotice | undefined>(undefined);
  const refused = (error: unknown): undefined => {
    said.value = { tone: 'bad', text: sentenceOf(error) };
  };
  return {
    said,
    tell: (text) => {
      said.value = { tone: 'good', text };
    },
    refused,
    attempt: async (work) => {
      said.value = undefined;
      return work().catch(refused);
    },
  };
}
