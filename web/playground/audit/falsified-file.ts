import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Tampering } from './tampering.ts';

/** An open file: the text as it came, and a copy that may be falsified step by step. */
export interface FalsifiedFile {
  /** Undefined where no file is open. */
  readonly name: ReadonlySignal<string | undefined>;
  readonly original: ReadonlySignal<string>;
  readonly text: ReadonlySignal<string>;
  /** The record that the next falsification is about. */
  readonly seq: Signal<number>;
  readonly edits: ReadonlySignal<number>;
  /** The latest falsification of the copy, if there is one. */
  readonly last: ReadonlySignal<Tampering | undefined>;
  show(name: string, text: string): void;
  tamper(tampering: Tampering): void;
  undo(): void;
}

interface AlteredCopy {
  readonly text: string;
  readonly by?: Tampering;
}

export function openFalsifiedFile(): FalsifiedFile {
  const name = signal<string | undefined>(undefined);
  const copies = signal<readonly AlteredCopy[]>([]);
  const seq = signal(0);
  const text = computed(() => copies.value.at(-1)?.text ?? '');
  return {
    name,
    original: computed(() => copies.value[0]?.text ?? ''),
    text,
    seq,
    edits: computed(() => Math.max(copies.value.length - 1, 0)),
    last: computed(() => copies.value.at(-1)?.by),
    show: (title, opened) => {
      name.value = title === '' ? undefined : title;
      copies.value = [{ text: opened }];
      seq.value = 0;
    },
    tamper: (by) => {
      const falsified = by.apply(text.value, seq.value);
      if (falsified !== text.value) copies.value = [...copies.value, { text: falsified, by }];
    },
    undo: () => {
      copies.value = copies.value.length > 1 ? copies.value.slice(0, -1) : copies.value;
    },
  };
}
