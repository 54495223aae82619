import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { KeepOptions } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';

/** A task under way, its progress, and its abort if it can be aborted. */
export interface StorageTask {
  readonly word: string;
  readonly share?: number;
  readonly stop?: () => void;
}

export interface StorageNotice {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** The work of a task. Its result is the notice; a plain text is a good notice. */
type TaskWork = () => Promise<StorageNotice | string | undefined>;

export type ProgressOptions = Required<KeepOptions>;

/** Runs a single task at a time, and reports its end, good or bad. */
export interface StorageTasks {
  readonly under: ReadonlySignal<StorageTask | undefined>;
  readonly said: ReadonlySignal<StorageNotice | undefined>;
  attempt(word: string, work: TaskWork): Promise<void>;
  /** Shows the progress too, and a button that stops the task. */
  attemptWatched(word: string, work: (watch: ProgressOptions) => ReturnType<TaskWork>): Promise<void>;
}

/** Calls `ended` after each task. */
export function openStorageTasks(ended: () => Promise<void>): StorageTasks {
  const under = signal<StorageTask | undefined>(undefined);
  const said = signal<StorageNotice | undefined>(undefined);

  const attempt = async (first: StorageTask, work: TaskWork): Promise<void> => {
    if (under.peek() !== undefined) return;
    under.value = first;
    said.value = undefined;
    try {
      const told = await work();
      said.value = typeof told === 'string' ? { tone: 'good', text: told } : told;
    } catch (error) {
      said.value = failed(error);
    } finally {
      under.value = undefined;
    }
    await ended();
  };

  return {
    under,
    said,
    attempt: (word, work) => attempt({ word }, work),
    attemptWatched: (word, work) => {
      const controller = new AbortController();
      const stop = () => controller.abort();
      const onProgress = (share: number) => void (under.value = { word, share, stop });
      return attempt({ word, stop }, () => work({ signal: controller.signal, onProgress }));
    },
  };
}

function failed(error: unknown): StorageNotice {
  if (error instanceof DOMException && error.name === 'AbortError')
    return { tone: 'good', text: storageDialog().tasks.stopped };
  return { tone: 'bad', text: storageDialog().tasks.failed(sentenceOf(error)) };
}

/** Stable code of an error of this product. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
