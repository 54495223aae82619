import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { LogReport, RunRow, StorageStatus, StoredEntry } from '../../../workers/api.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import { saveFile } from '../parts/save-file.ts';
import type { Playground } from '../playground.ts';
import { openStorageRemoval, type StorageRemoval } from './storage-removal.ts';
import { codeOf, openStorageTasks, type StorageNotice, type StorageTasks } from './storage-task.ts';

/** The storage of this device and its actions. */
export interface StorageDialog extends StorageRemoval, Pick<StorageTasks, 'under' | 'said'> {
  readonly status: ReadonlySignal<StorageStatus | undefined>;
  /** Values that capabilities have stored. */
  readonly stored: ReadonlySignal<readonly StoredEntry[]>;
  refresh(): Promise<void>;
  persist(): Promise<void>;
  /** Saves a file of the whole run, whose hash the log notes. The run stays in the log. */
  archive(run: RunRow): Promise<void>;
  /** The whole log, every run in it; against a checkpoint that was taken of it, too. */
  check(checkpoint?: File): Promise<void>;
  backUp(): Promise<void>;
  restore(file: File): Promise<void>;
}

export function openStorageDialog(store: Playground): StorageDialog {
  const { capabilities, ledger, storage } = store.runtime;
  const stored = signal<readonly StoredEntry[]>([]);
  const status = signal<StorageStatus | undefined>(undefined);
  const over = signal(false);

  const refresh = async (): Promise<void> => {
    store.listRuns();
    status.value = await storage.status();
    stored.value = await capabilities.stored();
  };
  const tasks = openStorageTasks(async () => {
    if (!over.peek()) await refresh();
  });
  const removal = openStorageRemoval({ store, tasks, over });

  /** An export means that the person wants the data kept; the browser may ask the person, or never answer. */
  const wanted = (): void => void storage.persist().catch(() => undefined);

  return {
    ...removal,
    status,
    stored,
    under: tasks.under,
    said: tasks.said,
    refresh,
    persist: () =>
      tasks.attempt(storageDialog().tasks.asking, async () =>
        (await storage.persist()) ? storageDialog().tasks.promised : storageDialog().tasks.noPromise,
      ),
    archive: (run) =>
      tasks.attempt(storageDialog().tasks.archiving, async () => {
        const { jsonl, sha256 } = await ledger.archive(run.run_id);
        wanted();
        saveFile(`${run.run_id.slice(0, 8)}.run.jsonl`, jsonl);
        return storageDialog().tasks.archived(sha256.slice(0, 16));
      }),
    check: (checkpoint) =>
      tasks.attemptWatched(storageDialog().tasks.checking, async ({ signal }) => {
        const text = await checkpoint?.text();
        return foundIn(await ledger.fsck({ signal, ...(text !== undefined && { checkpoint: text }) }), text);
      }),
    backUp: () =>
      tasks.attemptWatched(storageDialog().tasks.backingUp, async (watch) => {
        const backup = await storage.backup(watch);
        wanted();
        saveFile(`sallyport-${new Date().toISOString().slice(0, 10)}.backup`, backup, OCTETS);
        return storageDialog().tasks.backedUp;
      }),
    restore: (file) =>
      tasks.attemptWatched(storageDialog().tasks.reading, async (watch) => {
        // Checked before the ledger may be emptied: a backup that does not match its hashes replaces no ledger.
        await storage.restore(file, { ...watch, only: 'tried' });
        try {
          await storage.restore(file);
        } catch (error) {
          if (codeOf(error) !== 'backup_refused') throw error;
          removal.question.value = { act: 'replace', backup: file, name: file.name };
          return undefined;
        }
        return storageDialog().tasks.restored;
      }),
  };
}

const OCTETS = 'application/octet-stream';

/** The result of checking a whole log, in a sentence. */
function foundIn({ ok, size, problems, runs }: LogReport, checkpoint: string | undefined): StorageNotice {
  const broken = runs.filter(({ report }) => !report.ok).map(({ run_id }) => run_id.slice(0, 8));
  const { tasks: texts } = storageDialog();
  if (ok) return { tone: 'good', text: checkpoint === undefined ? texts.whole(size) : texts.wholeAgainst(size) };
  const said = problems.map(({ message }) => message).join(' ');
  return {
    tone: 'bad',
    text: `${texts.notWhole(said)}${broken.length > 0 ? texts.altered(broken.join(', ')) : ''}`,
  };
}
