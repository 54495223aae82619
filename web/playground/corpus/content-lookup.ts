import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Outcome } from '../../../core/index.ts';
import type { Content, Found, SliceRead } from '../../../workers/api.ts';
import type { NoticeLine } from './notice.ts';

/** A tried slice, and its result. */
export interface SliceTrial {
  readonly ref: string;
  readonly slice: string;
  readonly outcome: Outcome<SliceRead>;
}

/** A person's questions to the content: a search, and a slice as a model would ask for it. */
export interface ContentLookup {
  readonly found: ReadonlySignal<Found | undefined>;
  readonly trial: ReadonlySignal<SliceTrial | undefined>;
  /** The reference to try next. */
  readonly ref: Signal<string>;
  readonly slice: Signal<string>;
  search(query: string): Promise<void>;
  tryNow(): Promise<void>;
}

export function openContentLookup(content: Content, { attempt }: NoticeLine): ContentLookup {
  const found = signal<Found | undefined>(undefined);
  const trial = signal<SliceTrial | undefined>(undefined);
  const ref = signal('');
  const slice = signal('head(5)');
  let asked = 0;
  return {
    found,
    trial,
    ref,
    slice,
    search: async (query) => {
      const mine = ++asked;
      if (query.trim() === '') {
        found.value = undefined;
        return;
      }
      const answer = await attempt(() => content.search(query));
      // an answer to an outdated request is dropped
      if (mine === asked) found.value = answer;
    },
    tryNow: async () => {
      const [what, cut] = [ref.peek(), slice.peek()];
      const outcome = await attempt(() => content.expand(what, cut));
      if (outcome !== undefined) trial.value = { ref: what, slice: cut, outcome };
    },
  };
}
