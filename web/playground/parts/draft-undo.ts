import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';

/** Keeps the text that a person has typed into the draft when the page puts another text in its place. */
export interface DraftUndo {
  /** The latest typed text that was replaced; undefined if there is none. */
  readonly replaced: ReadonlySignal<string | undefined>;
  /** Replaces the draft by a text of the page. A typed text is kept; a text of the page, or a sent text, is not. */
  put(text: string): void;
  /** Brings the replaced text back. If a person has changed the text of the page, that text is kept in turn. */
  undo(): void;
  /** True while the text of the page is as it was put. The field has no history of it: a browser keeps typed changes. */
  isFresh(): boolean;
  /** The draft was sent, so the ledger has it. */
  sent(): void;
}

/** `first` is a text of the page that a fresh draft has. */
export function openDraftUndo(draft: Signal<string>, first = ''): DraftUndo {
  const replaced = signal<string | undefined>(undefined);
  /** The latest text that the page has put, or that was sent. */
  let known = first;
  const typed = (): string | undefined => {
    const text = draft.peek();
    return text === known || text.trim() === '' ? undefined : text;
  };
  return {
    replaced,
    put: (text) => {
      if (text === draft.peek()) return;
      replaced.value = typed() ?? replaced.peek();
      known = text;
      draft.value = text;
    },
    undo: () => {
      const back = replaced.peek();
      if (back === undefined) return;
      replaced.value = typed();
      draft.value = back;
    },
    isFresh: () => replaced.peek() !== undefined && draft.peek() === known,
    sent: () => {
      known = draft.peek();
      if (replaced.peek() === known) replaced.value = undefined;
    },
  };
}
