import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { RunRow } from '../../../workers/api.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import { removeFiles } from '../models/gguf-files.ts';
import type { Playground } from '../playground.ts';
import { codeOf, type ProgressOptions, type StorageTasks } from './storage-task.ts';

/** A question that a person has to confirm. */
export type StorageQuestion =
  | { readonly act: 'delete' | 'erase'; readonly run: RunRow }
  | { readonly act: 'replace'; readonly backup: Blob; readonly name: string }
  | { readonly act: 'delete everything' };

/** The removal of data from this device. It always needs a typed word. */
export interface StorageRemoval {
  readonly question: Signal<StorageQuestion | undefined>;
  /** The storage was emptied or replaced: the page begins anew. */
  readonly over: ReadonlySignal<boolean>;
  /** Carries out the confirmed question. */
  confirm(): Promise<void>;
}

export interface StorageRemovalFacts {
  readonly store: Playground;
  readonly tasks: StorageTasks;
  /** Set when the storage was emptied or replaced. */
  readonly over: Signal<boolean>;
}

/** Refusals of a replacement that leave the runtime as it was. */
const HARMLESS = ['backup_refused', 'store_full'];

export function openStorageRemoval({ store, tasks, over }: StorageRemovalFacts): StorageRemoval {
  const { ledger, storage } = store.runtime;
  const question = signal<StorageQuestion | undefined>(undefined);

  const takeAway = async (act: 'delete' | 'erase', { run_id, records }: RunRow): Promise<string> => {
    await ledger[act](run_id);
    if (act === 'delete' && store.session.peek()?.id === run_id) store.startRun();
    if (act === 'erase') return storageDialog().tasks.erased;
    return storageDialog().tasks.deleted(records);
  };

  const replace = async (backup: Blob, watch: ProgressOptions): Promise<string> => {
    try {
      await storage.replace(backup, watch);
    } catch (error) {
      // the runtime may have ended with a failure of the browser; one of the two ledgers is whole
      over.value = !(watch.signal.aborted || HARMLESS.includes(codeOf(error) ?? ''));
      throw error;
    }
    over.value = true;
    return storageDialog().tasks.replaced;
  };

  const deleteEverything = async (): Promise<string> => {
    await storage.deleteEverything();
    await removeFiles();
    await store.catalogue.deleteStored();
    over.value = true;
    localStorage.clear();
    return storageDialog().tasks.deletedEverything;
  };

  return {
    question,
    over,
    confirm: async () => {
      const asked = question.peek();
      question.value = undefined;
      if (asked === undefined) return;
      if (asked.act === 'replace')
        return tasks.attemptWatched(storageDialog().tasks.replacing, (watch) => replace(asked.backup, watch));
      if (asked.act === 'delete everything') return tasks.attempt(storageDialog().tasks.deleting, deleteEverything);
      return tasks.attempt(storageDialog().tasks.removing, () => takeAway(asked.act, asked.run));
    },
  };
}
