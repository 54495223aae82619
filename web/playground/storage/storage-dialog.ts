import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { LogReport, RunRow, StorageStatus } from '../../../workers/api.ts';
import type { openRuntime } from '../../index.ts';
import { saveFile } from '../parts/save-file.ts';
import type { Playground } from '../playground.ts';
import { openStorageRemoval, type StorageRemoval } from './storage-removal.ts';
import { openStorageTasks, type StorageNotice, type StorageTasks } from './storage-task.ts';

/** The storage of this device and its actions. */
export interface StorageDialog extends StorageRemoval, Pick<StorageTasks, 'under' | 'said'> {
  readonly status: ReadonlySignal<StorageStatus | undefined>;
  refresh(): Promise<void>;
  persist(): Promise<void>;
  /** Saves a file of the whole run, whose hash the log notes. The run stays in the log. */
  archive(run: RunRow): Promise<void>;
  /** The whole log, every run in it; against a checkpoint that was taken of it, too. */
  check(checkpoint?: File): Promise<void>;
  backUp(): Promise<void>;
  restore(file: File): Promise<void>;
}

export function openStorageDialog(store: Playground, open: typeof openRuntime): StorageDialog {
  const { ledger, storage } = store.runtime;
  const status = signal<StorageStatus | undefined>(undefined);
  const over = signal(false);

  const refresh = async (): Promise<void> => {
    store.listRuns();
    status.value = await storage.status();
  };
  const tasks = openStorageTasks(async () => {
    if (!over.peek()) await refresh();
  });
  const removal = openStorageRemoval({ store, open, tasks, over });

  /** An export means that the person wants the data kept; the browser may ask the person, or never answer. */
  const wanted = (): void => void storage.persist().catch(() => undefined);

  return {
    ...removal,
    status,
    under: tasks.under,
    said: tasks.said,
    refresh,
    persist: () =>
      tasks.attempt('Asking the browser', async () =>
        (await storage.persist())
          ? 'The browser promised to keep it.'
          : 'The browser makes no promise. It decides by itself, often by how much a page is used.',
      ),
    archive: (run) =>
      tasks.attempt('Archiving', async () => {
        const { jsonl, sha256 } = await ledger.archive(run.run_id);
        wanted();
        saveFile(`${run.run_id.slice(0, 8)}.run.jsonl`, jsonl);
        return `Archived to a file with SHA-256 ${sha256.slice(0, 16)}…, which the log has noted. Nothing was taken away.`;
      }),
    check: (checkpoint) =>
      tasks.attemptWatched('Checking the whole log', async ({ signal }) => {
        const text = await checkpoint?.text();
        return foundIn(await ledger.fsck({ signal, ...(text !== undefined && { checkpoint: text }) }), text);
      }),
    backUp: () =>
      tasks.attemptWatched('Making a backup', async (watch) => {
        const backup = await storage.backup(watch);
        wanted();
        saveFile(`sallyport-${new Date().toISOString().slice(0, 10)}.backup`, backup, OCTETS);
        return 'The backup is with your downloads. It is not encrypted: every person who has the file can read it.';
      }),
    restore: (file) =>
      tasks.attemptWatched('Reading the backup', async (watch) => {
        // Checked before the ledger may be emptied: a backup that does not match its hashes replaces no ledger.
        await storage.restore(file, { ...watch, only: 'tried' });
        try {
          await storage.restore(file);
        } catch (error) {
          if (codeOf(error) !== 'backup_refused') throw error;
          removal.question.value = { act: 'replace', backup: file, name: file.name };
          return undefined;
        }
        return 'Restored: every record was verified. Its runs can be read, and none of them is resumed.';
      }),
  };
}

const OCTETS = 'application/octet-stream';

/** The result of checking a whole log, in a sentence. */
function foundIn({ ok, size, problems, runs }: LogReport, checkpoint: string | undefined): StorageNotice {
  const broken = runs.filter(({ report }) => !report.ok).map(({ run_id }) => run_id.slice(0, 8));
  const against = checkpoint === undefined ? '' : ', and it is the log of the checkpoint';
  if (ok) return { tone: 'good', text: `The log is whole: ${size} records${against}.` };
  const said = problems.map(({ message }) => message).join(' ');
  return {
    tone: 'bad',
    text: `The log is not whole. ${said}${broken.length > 0 ? ` Altered: ${broken.join(', ')}.` : ''}`,
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
