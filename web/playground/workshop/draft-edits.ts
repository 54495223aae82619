import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import { type CapabilityDraft, hashOf, type Reading, readDraft } from './draft.ts';

/** The draft in a person's hands, and the definition that it was made from. */
export interface DraftEdits {
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

export function openDraftEdits(first: Record<'draft' | 'base', CapabilityDraft>): DraftEdits {
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
