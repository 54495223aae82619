import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Erasure, KeepOptions, LogReport, RunRow, StorageStatus, StoredEntry } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { byteSize } from '../../texts/amounts.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import { number } from '../../texts/intl.ts';
import type { DisclosedParts } from '../files/disclosures.ts';
import { type ExportBlob, exportBlob } from '../files/export-blob.ts';
import { keptFiles, removeFiles, smallModelBytes } from '../models/gguf-files.ts';
import { clearSettings } from '../parts/local-storage.ts';
import { saveFile } from '../parts/save-file.ts';
import type { Playground } from '../playground.ts';

/** The storage of this device and its actions. */
export interface StorageDialog extends StorageRemoval, Pick<StorageTasks, 'under' | 'said'> {
  readonly status: ReadonlySignal<StorageStatus | undefined>;
  /** Values that capabilities have stored. */
  readonly stored: ReadonlySignal<readonly StoredEntry[]>;
  /** The files and models beside the runs. */
  readonly kept: ReadonlySignal<KeptFiles | undefined>;
  refresh(): Promise<void>;
  /** Says what a run holds: records, texts by what they disclose, and stored values. */
  look(run: RunRow): Promise<void>;
  persist(): Promise<void>;
  /** The run for the dialog that exports it. The log notes the hash of a file of the whole run, and keeps the run. */
  archived(run: RunRow): ArchivedRun;
  /** The whole log, every run in it; against a checkpoint that was taken of it, too. */
  check(checkpoint?: File): Promise<void>;
  backUp(): Promise<void>;
  restore(file: File): Promise<void>;
}

/** A run as its two files: the export of the texts that are chosen, and the archive whose hash the log notes. */
export interface ArchivedRun {
  exported(secrets: boolean): Promise<ExportBlob>;
  archive(): Promise<{ readonly jsonl: string; readonly sha256: string }>;
}

export function openStorageDialog(store: Playground): StorageDialog {
  const { capabilities, ledger, storage } = store.runtime;
  const stored = signal<readonly StoredEntry[]>([]);
  const status = signal<StorageStatus | undefined>(undefined);
  const kept = signal<KeptFiles | undefined>(undefined);
  const over = signal(false);

  const refresh = async (): Promise<void> => {
    store.listRuns();
    status.value = await storage.status();
    stored.value = await capabilities.stored();
    kept.value = await filesKept(store.runtime);
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
    kept,
    under: tasks.under,
    said: tasks.said,
    refresh,
    look: (run) =>
      tasks.attempt(storageDialog().tasks.looking, async () => {
        const text = await ledger.export(run.run_id, { secrets: true });
        const parts = await store.files.call('parts', [exportBlob(text)]);
        return heldText(run, parts, stored.peek().filter(({ run_id }) => run_id === run.run_id).length);
      }),
    persist: () =>
      tasks.attempt(storageDialog().tasks.asking, async () =>
        (await storage.persist()) ? storageDialog().tasks.promised : storageDialog().tasks.noPromise,
      ),
    archived: ({ run_id }) => ({
      exported: async (secrets) => exportBlob(await ledger.export(run_id, { secrets })),
      archive: async () => {
        wanted();
        return ledger.archive(run_id);
      },
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

/** Files and models that the page keeps on this device. */
interface KeptFiles {
  /** Files that a person or a scenario added as content. */
  readonly added: { readonly files: number; readonly bytes: number };
  readonly models: readonly { readonly name: string; readonly bytes: number }[];
  readonly smallModel: number | undefined;
  /** Bytes of the page's own files, the small model among them, where the browser tells them. */
  readonly page: number | undefined;
}

async function filesKept({ content }: Pick<Playground['runtime'], 'content'>): Promise<KeptFiles> {
  const files = await content.files();
  // a browser without private files keeps no models
  const models = await keptFiles().catch((): readonly File[] => []);
  return {
    added: { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) },
    models: models.map(({ name, size }) => ({ name, bytes: size })),
    smallModel: await smallModelBytes().catch(() => undefined),
    page: await pageBytes().catch(() => undefined),
  };
}

/** Chromium tells the parts of what is used; other browsers tell the sum alone. */
async function pageBytes(): Promise<number | undefined> {
  const told: StorageEstimate & { readonly usageDetails?: { readonly caches?: number } } =
    await navigator.storage.estimate();
  return told.usageDetails?.caches;
}

function heldText(
  { run_id, records }: RunRow,
  { plain, private: kept, secret }: DisclosedParts,
  values: number,
): string {
  const { tasks: texts } = storageDialog();
  const amount = ({ payloads, bytes }: DisclosedParts['plain']) => `${number(payloads)} (${byteSize(bytes)})`;
  const held = texts.heldTexts(amount(plain), amount(kept), amount(secret), values);
  return `${texts.holds(run_id.slice(0, 8), records)} ${held}`;
}

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

/** A question that a person has to confirm. */
export type StorageQuestion =
  | { readonly act: 'delete'; readonly runs: readonly RunRow[] }
  /** `values`: number of values that these runs were the last to store. */
  | { readonly act: 'erase'; readonly runs: readonly RunRow[]; readonly values: number }
  | { readonly act: 'forget'; readonly capability: string; readonly values: number }
  | { readonly act: 'replace'; readonly backup: Blob; readonly name: string }
  | { readonly act: 'delete everything' };

type RunRemoval = Extract<StorageQuestion, { act: 'delete' | 'erase' }>;

/** The removal of data from this device. It always needs a typed word. */
interface StorageRemoval {
  readonly question: Signal<StorageQuestion | undefined>;
  /** The storage was emptied or replaced: the page begins anew. */
  readonly over: ReadonlySignal<boolean>;
  /** Carries out the confirmed question; `stored`: an erasure takes the stored values, too. */
  confirm(stored?: boolean): Promise<void>;
}

interface StorageRemovalFacts {
  readonly store: Playground;
  readonly tasks: StorageTasks;
  /** Set when the storage was emptied or replaced. */
  readonly over: Signal<boolean>;
}

/** Refusals of a replacement that leave the runtime as it was. */
const HARMLESS = ['backup_refused', 'store_full'];

function openStorageRemoval({ store, tasks, over }: StorageRemovalFacts): StorageRemoval {
  const { capabilities, ledger, storage } = store.runtime;
  const question = signal<StorageQuestion | undefined>(undefined);

  const end = ({ values, otherTabs }: Erasure): string => {
    const { tasks: texts } = storageDialog();
    return `${values > 0 ? texts.values(values) : ''}${otherTabs > 0 ? texts.otherTabs(otherTabs) : ''}`;
  };

  const forget = async (capability: string): Promise<string> =>
    `${storageDialog().tasks.forgotten}${end(await capabilities.forgetStored(capability))}`;

  /** One run after another; stopped between two, it says how many are done. */
  const takeAway = async ({ act, runs }: RunRemoval, stored: boolean, watch: ProgressOptions): Promise<string> => {
    const { tasks: texts } = storageDialog();
    let done = 0;
    let values = 0;
    let otherTabs = 0;
    for (const { run_id } of runs) {
      if (watch.signal.aborted) break;
      const taken = act === 'erase' ? await ledger.erase(run_id, { stored }) : await ledger.delete(run_id);
      if (act === 'delete' && store.session.peek()?.id === run_id) store.startRun();
      values += taken.values;
      ({ otherTabs } = taken);
      watch.onProgress(++done / runs.length);
    }
    const [first] = runs;
    const many = act === 'erase' ? texts.erasedMany : texts.deletedMany;
    const one = act === 'erase' ? texts.erased : texts.deleted(first?.records ?? 0);
    return `${runs.length === 1 && done === 1 ? one : many(done, runs.length)}${end({ values, otherTabs })}`;
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
    clearSettings();
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
      if (asked.act === 'forget') return tasks.attempt(storageDialog().tasks.removing, () => forget(asked.capability));
      const { removing } = storageDialog().tasks;
      return tasks.attemptWatched(removing, (watch) => takeAway(asked, stored, watch));
    },
  };
}

/** A task under way, its progress, and its abort if it can be aborted. */
export interface StorageTask {
  readonly word: string;
  readonly share?: number;
  readonly stop?: () => void;
}

interface StorageNotice {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** The work of a task. Its result is the notice; a plain text is a good notice. */
type TaskWork = () => Promise<StorageNotice | string | undefined>;

type ProgressOptions = Required<KeepOptions>;

/** Runs a single task at a time, and reports its end, good or bad. */
interface StorageTasks {
  readonly under: ReadonlySignal<StorageTask | undefined>;
  readonly said: ReadonlySignal<StorageNotice | undefined>;
  attempt(word: string, work: TaskWork): Promise<void>;
  /** Shows the progress too, and a button that stops the task. */
  attemptWatched(word: string, work: (watch: ProgressOptions) => ReturnType<TaskWork>): Promise<void>;
}

/** Calls `ended` after each task. */
function openStorageTasks(ended: () => Promise<void>): StorageTasks {
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
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
