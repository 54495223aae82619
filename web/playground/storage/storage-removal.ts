import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Erasure, RunRow } from '../../../workers/api.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import { removeFiles } from '../models/gguf-files.ts';
import type { Playground } from '../playground.ts';
import { codeOf, type ProgressOptions, type StorageTasks } from './storage-task.ts';

/** A question that a person has to confirm. */
export type StorageQuestion =
  | { readonly act: 'delete'; readonly run: RunRow }
  /** `values`: number of values that this run was the last to store. */
  | { readonly act: 'erase'; readonly run: RunRow; readonly values: number }
  | { readonly act: 'forget'; readonly capability: string; readonly values: number }
  | { readonly act: 'replace'; readonly backup: Blob; readonly name: string }
  | { readonly act: 'delete everything' };

type Removal = Extract<StorageQuestion, { act: 'delete' | 'erase' | 'forget' }>;

/** The removal of data from this device. It always needs a typed word. */
export interface StorageRemoval {
  readonly question: Signal<StorageQuestion | undefined>;
  /** The storage was emptied or replaced: the page begins anew. */
  readonly over: ReadonlySignal<boolean>;
  /** Carries out the confirmed question; `stored`: an erasure takes the stored values, too. */
  confirm(stored?: boolean): Promise<void>;
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
  const { capabilities, ledger, storage } = store.runtime;
  const question = signal<StorageQuestion | undefined>(undefined);

  const takeAway = async (asked: Removal, stored: boolean): Promise<string> => {
    const { tasks: texts } = storageDialog();
    const end = ({ values, otherTabs }: Erasure): string =>
      `${values > 0 ? texts.values(values) : ''}${otherTabs > 0 ? texts.otherTabs(otherTabs) : ''}`;
    if (asked.act === 'forget') return `${texts.forgotten}${end(await capabilities.forgetStored(asked.capability))}`;
    const { run_id, records } = asked.run;
    if (asked.act === 'erase') return `${texts.erased}${end(await ledger.erase(run_id, { stored }))}`;
    const deleted = await ledger.delete(run_id);
    if (store.session.peek()?.id === run_id) store.startRun();
    return `${texts.deleted(records)}${end(deleted)}`;
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
    confirm: async (stored = false) => {
      const asked = question.peek();
      question.value = undefined;
      if (asked === undefined) return;
      if (asked.act === 'replace')
        return tasks.attemptWatched(storageDialog().tasks.replacing, (watch) => replace(asked.backup, watch));
      if (asked.act === 'delete everything') return tasks.attempt(storageDialog().tasks.deleting, deleteEverything);
      return tasks.attempt(storageDialog().tasks.removing, () => takeAway(asked, stored));
    },
  };
}
