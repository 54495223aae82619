import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import { isObject, type JsonValue } from '../../../core/index.ts';

/** The progress of a lesson, with the runs that show it. */
export interface LessonProgress {
  /** Indices of the tasks that are done. */
  readonly done: readonly number[];
  readonly predicted?: number;
  /** Exports of the runs in which tasks were done, by run. */
  readonly evidence: { readonly [run_id: string]: string };
}

/** Progress on this device. It is a claim; a teacher verifies the evidence. */
export interface Progress {
  readonly lessons: ReadonlySignal<ReadonlyMap<number, LessonProgress>>;
  change(lesson: number, change: Partial<LessonProgress>): void;
  /** Forgets all of it, until `restore` or the end of the page. */
  clear(): void;
  /** True after `clear`, while no lesson has made new progress. */
  readonly mayRestore: ReadonlySignal<boolean>;
  restore(): void;
}

export const NOT_BEGUN: LessonProgress = { done: [], evidence: {} };

const KEY = 'sallyport.lessons';

export function openProgress(): Progress {
  const lessons = signal<ReadonlyMap<number, LessonProgress>>(read());
  const store = (next: ReadonlyMap<number, LessonProgress>): void => {
    lessons.value = next;
    write(next);
  };
  const cleared = signal<ReadonlyMap<number, LessonProgress> | undefined>(undefined);
  return {
    lessons,
    change: (lesson, change) => {
      const before = lessons.peek().get(lesson) ?? NOT_BEGUN;
      store(new Map(lessons.peek()).set(lesson, { ...before, ...change }));
    },
    clear: () => {
      cleared.value = lessons.peek();
      store(new Map());
    },
    mayRestore: computed(() => cleared.value !== undefined && lessons.value.size === 0),
    restore: () => {
      if (cleared.peek() !== undefined) store(cleared.peek() ?? new Map());
      cleared.value = undefined;
    },
  };
}

function read(): ReadonlyMap<number, LessonProgress> {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as JsonValue;
    const entries = isObject(kept) ? Object.entries(kept) : [];
    return new Map(entries.flatMap(([number, one]) => (isProgress(one) ? [[Number(number), one] as const] : [])));
  } catch {
    return new Map();
  }
}

function isProgress(value: unknown): value is LessonProgress {
  if (!isObject(value)) return false;
  const { done, evidence } = value;
  return Array.isArray(done) && isObject(evidence) && Object.values(evidence).every((text) => typeof text === 'string');
}

/** Storage may be refused or full: progress then lasts as long as the page. */
function write(lessons: ReadonlyMap<number, LessonProgress>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(lessons)));
  } catch {
    return;
  }
}
