import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { KeepOptions, LogReport, RunRow, StorageStatus } from '../../../workers/api.ts';
import type { openRuntime } from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { saveFile } from '../parts/save-file.ts';
import type { Playground } from '../playground.ts';

/** A question that a person has to confirm. */
export type StorageQuestion =
  | { readonly act: 'delete' | 'erase'; readonly run: RunRow }
  | { readonly act: 'replace'; readonly backup: Blob; readonly name: string }
  | { readonly act: 'delete everything' };

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

/** The storage of this device and its actions: removing data always needs a typed word. */
export interface StorageDialog {
  readonly status: ReadonlySignal<StorageStatus | undefined>;
  readonly question: Signal<StorageQuestion | undefined>;
  readonly under: ReadonlySignal<StorageTask | undefined>;
  readonly said: ReadonlySignal<StorageNotice | undefined>;
  /** The storage was emptied or replaced: the page begins anew. */
  readonly over: ReadonlySignal<boolean>;
  refresh(): Promise<void>;
  persist(): Promise<void>;
  /** Saves a file of the whole run, whose hash the log notes. The run stays in the log. */
  archive(run: RunRow): Promise<void>;
  /** The whole log, every run in it; against a checkpoint that was taken of it, too. */
  check(checkpoint?: File): Promise<void>;
  backUp(): Promise<void>;
  restore(file: File): Promise<void>;
  /** Carries out the confirmed question. */
  confirm(): Promise<void>;
}

export function openStorageDialog(store: Playground, open: typeof openRuntime): StorageDialog {
  const { ledger, storage } = store.runtime;
  const status = signal<StorageStatus | undefined>(undefined);
  const question = signal<StorageQuestion | undefined>(undefined);
  const under = signal<StorageTask | undefined>(undefined);
  const said = signal<StorageNotice | undefined>(undefined);
  const over = signal(false);

  const refresh = async (): Promise<void> => {
    store.listRuns();
    status.value = await storage.status();
  };

  /** An export means that the person wants the data kept; the browser may ask the person, or never answer. */
  const wanted = (): void => void storage.persist().catch(() => undefined);

  /** Runs a single task at a time, and reports its end, good or bad. */
  const attempt = async (
    first: StorageTask,
    work: () => Promise<StorageNotice | string | undefined>,
  ): Promise<void> => {
    if (under.peek() !== undefined) return;
    under.value = first;
    said.value = undefined;
    try {
      const told = await work();
      said.value = typeof told === 'string' ? { tone: 'good', text: told } : told;
    } catch (error) {
      said.value = isAbort(error) ? { tone: 'good', text: 'Stopped. Nothing was changed.' } : failed(error);
    } finally {
      under.value = undefined;
    }
    if (!over.peek()) await refresh();
  };

  /** With its progress shown, and a button that stops it. */
  const watched = (
    word: string,
    work: (watch: ProgressOptions) => Promise<StorageNotice | string | undefined>,
  ): Promise<void> => {
    const controller = new AbortController();
    const stop = () => controller.abort();
    const onProgress = (share: number) => void (under.value = { word, share, stop });
    return attempt({ word, stop }, () => work({ signal: controller.signal, onProgress }));
  };

  const takeAway = async (act: 'delete' | 'erase', { run_id, records }: RunRow): Promise<string> => {
    await ledger[act](run_id);
    if (act === 'delete' && store.session.peek()?.id === run_id) store.startRun();
    if (act === 'erase') return 'Erased. Its records and their hashes stay, and still verify.';
    return `Deleted. ${records} hashes of it stay in the log’s tree, so that everything else still verifies.`;
  };

  /** Checks the backup before the ledger is emptied: a backup that does not match its hashes replaces no ledger. */
  const tried = async (backup: Blob, watch: ProgressOptions): Promise<void> => {
    await storage.restore(backup, { ...watch, only: 'tried' });
  };

  const replace = async (backup: Blob): Promise<string> => {
    await storage.deleteEverything();
    over.value = true;
    const fresh = await open();
    try {
      await fresh.storage.restore(backup);
    } finally {
      await fresh.close();
    }
    return 'Replaced by the backup.';
  };

  return {
    status,
    question,
    under,
    said,
    over,
    refresh,
    persist: () =>
      attempt({ word: 'Asking the browser' }, async () =>
        (await storage.persist())
          ? 'The browser promised to keep it.'
          : 'The browser makes no promise. It decides by itself, often by how much a page is used.',
      ),
    archive: (run) =>
      attempt({ word: 'Archiving' }, async () => {
        const { jsonl, sha256 } = await ledger.archive(run.run_id);
        wanted();
        saveFile(`${run.run_id.slice(0, 8)}.run.jsonl`, jsonl);
        return `Archived to a file with SHA-256 ${sha256.slice(0, 16)}…, which the log has noted. Nothing was taken away.`;
      }),
    check: (checkpoint) =>
      watched('Checking the whole log', async ({ signal }) => {
        const text = await checkpoint?.text();
        return foundIn(await ledger.fsck({ signal, ...(text !== undefined && { checkpoint: text }) }), text);
      }),
    backUp: () =>
      watched('Making a backup', async (watch) => {
        const backup = await storage.backup(watch);
        wanted();
        saveFile(`sallyport-${new Date().toISOString().slice(0, 10)}.backup`, backup, OCTETS);
        return 'The backup is with your downloads. It is not encrypted: every person who has the file can read it.';
      }),
    restore: (file) =>
      watched('Reading the backup', async (watch) => {
        await tried(file, watch);
        try {
          await storage.restore(file);
        } catch (error) {
          if (codeOf(error) !== 'backup_refused') throw error;
          question.value = { act: 'replace', backup: file, name: file.name };
          return undefined;
        }
        return 'Restored: every record was verified. Its runs can be read, and none of them is resumed.';
      }),
    confirm: async () => {
      const asked = question.peek();
      question.value = undefined;
      if (asked === undefined) return;
      if (asked.act === 'replace') return attempt({ word: 'Replacing' }, () => replace(asked.backup));
      if (asked.act !== 'delete everything')
        return attempt({ word: 'Taking it away' }, () => takeAway(asked.act, asked.run));
      return attempt({ word: 'Deleting' }, async () => {
        await storage.deleteEverything();
        over.value = true;
        localStorage.clear();
        return 'Everything was deleted. No data of it is left in this browser.';
      });
    },
  };
}

const OCTETS = 'application/octet-stream';

type ProgressOptions = Required<KeepOptions>;

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

function failed(error: unknown): StorageNotice {
  return { tone: 'bad', text: `${sentenceOf(error)} Nothing was changed.` };
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
