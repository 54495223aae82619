import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import { batchIn, decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { framesIn } from '../journal/journal.ts';
import type { LedgerStore } from '../store.ts';
import { epochOf, recordInLog, SYSTEM } from '../system-log.ts';
import { INCOMPLETE } from './database.ts';
import type { DatabaseStore } from './database-store.ts';
import { FileLog, type FileLogEvents } from './file-log.ts';
import type { LogIndex } from './log-index.ts';
import { type FileFolder, ignoreAbsent, namesIn, openRoot, privateFolder } from './opfs.ts';
import { type Arrangement, type LogExtent, longest, NO_EXTENT } from './places.ts';
import { topUp, wipeFiles } from './rewrite.ts';
import type { Observation, Witness } from './witness.ts';

/** Parts of a ledger that an opening compares. */
interface EpochParts {
  readonly store: DatabaseStore;
  readonly index: LogIndex;
  /** Absent where there are no private files. */
  readonly folders: EpochFolders | undefined;
  readonly witness: Pick<Witness, 'read'>;
  readonly events: FileLogEvents;
}

/** The current epoch of a ledger, and its private files. A comparison that finds a loss begins another epoch. */
export class CurrentEpoch {
  number = 1;
  files: FileLog | undefined;
  state: StorageStatus['state'] = 'good';
  private readonly store: DatabaseStore;
  private readonly index: LogIndex;
  private readonly folders: EpochFolders | undefined;
  private readonly witness: EpochParts['witness'];
  private readonly events: FileLogEvents;

  constructor({ store, index, folders, witness, events }: EpochParts) {
    this.store = store;
    this.index = index;
    this.folders = folders;
    this.witness = witness;
    this.events = events;
  }

  /** Compares files, index and witness, and returns the event that the log is to record about itself. */
  async compare(): Promise<Outcome<LogBody | undefined>> {
    const witness = await this.witness.read();
    const written = await epochOf(this.store);
    if (!written.ok) return written;
    const known = Math.max(this.number, written.value, witness?.epoch ?? 0);
    this.number = this.folders === undefined ? known : await lastBegunEpoch(this.folders, known);
    const seen = witness?.epoch === this.number ? witness : undefined;
    return this.folders === undefined ? this.compareAlone(seen) : this.compareFiles(this.folders, seen);
  }

  private async compareFiles(
    folders: EpochFolders,
    seen: Observation | undefined,
  ): Promise<Outcome<LogBody | undefined>> {
    const files = await this.openFiles(folders);
    files.reset();
    const found = await fillFromFiles(files, seen);
    if (!found.ok) return found;
    const { event, isIncomplete } = found.value;
    if (event !== undefined) this.state = event.event === 'lost' ? 'lost' : 'restored';
    const isLost = event?.event === 'lost';
    const current = isLost ? await this.beginEpoch(folders) : pass(files);
    const claimed = current.ok ? await current.value.claim() : current;
    if (!current.ok || !claimed.ok) return claimed.ok ? pass(event) : claimed;
    const tell = (share: number): void => this.events.onShare?.(share);
    const topped =
      isIncomplete || isLost ? await topUp(current.value, this.store, { tell, keepsOffsets: isLost }) : pass(undefined);
    return topped.ok ? pass(event) : topped;
  }

  /** Opens the next epoch. The remains of the old epoch stay where they are for a later inspection. */
  private async beginEpoch(folders: EpochFolders): Promise<Outcome<FileLog>> {
    const marked = await markIncomplete(this.index);
    if (!marked.ok) return marked;
    this.number += 1;
    const files = await this.openFiles(folders);
    // a kernel that stopped before its record of the loss may have written to this epoch
    const read = await files.read({ all: true, own: true });
    return read.ok ? pass(files) : read;
  }

  /** Opens the files of the current epoch; the files of an earlier epoch take no further writes. */
  private async openFiles(folders: EpochFolders): Promise<FileLog> {
    const { files, number } = this;
    if (files?.epoch === number) return files;
    this.files = new FileLog(number, await folders.folder(number), this.index, this.events);
    void files?.retire();
    return this.files;
  }

  /** The database is alone; should private files return, they have to be filled. */
  private async compareAlone(seen: Observation | undefined): Promise<Outcome<LogBody | undefined>> {
    const end = await this.store.frontier();
    const marked = end.ok ? await this.index.setOffsets(new Map([[INCOMPLETE, 1]])) : end;
    if (!end.ok || !marked.ok) return marked.ok ? pass(undefined) : marked;
    if (seen === undefined || end.value.size >= seen.size) return pass(undefined);
    this.state = 'lost';
    this.number += 1;
    this.store.forget();
    return pass({ event: 'lost', size: seen.size, root: seen.root, found: end.value.size });
  }
}

/** Event that a comparison of a log found, until it is recorded. */
export class FoundEvent {
  private event: LogBody | undefined;
  private isRecording = false;

  get isPending(): boolean {
    return this.event !== undefined;
  }

  /** True where the next append has to record the event first. */
  get isDue(): boolean {
    return this.isPending && !this.isRecording;
  }

  /** Keeps what a comparison found. A loss stays, whatever a later comparison finds. */
  keep(event: LogBody | undefined): void {
    if (this.event?.event !== 'lost') this.event = event ?? this.event;
  }

  /** Records the event. After a refusal it stays pending. */
  async record(store: LedgerStore, epoch: number): Promise<Outcome<void>> {
    const { event } = this;
    if (event === undefined || this.isRecording) return pass(undefined);
    this.isRecording = true;
    try {
      const done = await recordOnce(store, epoch, event);
      if (done.ok && this.event === event) this.event = undefined;
      return done;
    } finally {
      this.isRecording = false;
    }
  }
}

/** Another kernel may have recorded the loss with which an epoch begins. */
async function recordOnce(store: LedgerStore, epoch: number, event: LogBody): Promise<Outcome<void>> {
  const begun = event.event === 'lost' ? await epochOf(store) : pass(0);
  if (!begun.ok) return begun;
  return begun.value === epoch ? pass(undefined) : recordInLog(store, epoch, event);
}

/** Result of an opening: what the log says about itself, and whether the files lack content of the index. */
interface Comparison {
  /** Event to record, where the index had lost records. */
  readonly event: LogBody | undefined;
  readonly isIncomplete: boolean;
}

/** Fills the index from the files, and compares the log with what was told of it. */
export async function fillFromFiles(log: FileLog, seen: LogExtent | undefined): Promise<Outcome<Comparison>> {
  const { index } = log;
  const [offsets, before] = [await index.offsets(), await index.frontier()];
  if (!offsets.ok) return offsets;
  if (!before.ok) return before;
  const isNew = before.value.size === 0 && filesIn(offsets.value).length === 0;
  const isIncomplete = await lacks(log, offsets.value, before.value.size);
  const marked = isIncomplete ? await markIncomplete(index) : pass(undefined);
  if (!marked.ok) return marked;
  const read = await readFiles(log, isNew || before.value.size < (seen?.size ?? 0));
  const after = await index.frontier();
  if (!read.ok) return read;
  if (!after.ok) return after;
  const told = longest(read.value.told, seen ?? NO_EXTENT);
  const indexed = Math.max(before.value.size, read.value.indexed);
  const isGood = indexed >= told.size && !(isNew && read.value.contents.length > 0);
  if (isGood) return pass({ event: undefined, isIncomplete });
  const found = { size: after.value.size, root: hashText(rootOf(after.value)) };
  const isWhole =
    read.value.followed >= read.value.told.size && (await isBehind(index, found, [read.value.told, seen]));
  const event: LogBody = isWhole
    ? { event: 'restored', ...found, found: before.value.size }
    : { event: 'lost', size: told.size, root: told.root, found: after.value.size };
  return pass({ event, isIncomplete });
}

/** Reads the files; all of them where the index is shorter than a note tells. */
async function readFiles(log: FileLog, all: boolean): Promise<Outcome<Arrangement>> {
  const read = await log.read({ all, own: true });
  if (read.ok || all || read.refusal.code !== 'log_lost') return read;
  return log.read({ all: true, own: true });
}

/** True if the log has each of these beginnings. */
async function isBehind(
  index: LogIndex,
  { size }: LogExtent,
  told: readonly (LogExtent | undefined)[],
): Promise<boolean> {
  for (const each of told) {
    if (each === undefined || each.size === 0) continue;
    const root = each.size <= size ? await index.rootAt(each.size) : pass(undefined);
    if (!root.ok || root.value !== each.root) return false;
  }
  return true;
}

/** True if a file is gone or shorter than the index knows it, or if no file has the log yet. */
async function lacks(log: FileLog, offsets: ReadonlyMap<string, number>, size: number): Promise<boolean> {
  const files = filesIn(offsets);
  if (offsets.has(INCOMPLETE) || (files.length === 0 && size > 0)) return true;
  for (const [name, offset] of files) {
    if (offset > 0 && ((await log.folder.blob(name))?.size ?? 0) < offset) return true;
  }
  return false;
}

function filesIn(offsets: ReadonlyMap<string, number>): readonly (readonly [name: string, offset: number])[] {
  return [...offsets].filter(([name]) => name.endsWith('.journal'));
}

/**
 * Marks that the files lack content of the index. The offsets alone would not tell it once the files were read: an
 * opening that is cut after that is continued by the next opening.
 */
function markIncomplete(index: LogIndex): Promise<Outcome<void>> {
  return index.setOffsets(new Map([[INCOMPLETE, 1]]), 'strict');
}

/**
 * The last epoch after `known` that has begun; `known` without such an epoch. An epoch begins with its record of the
 * loss: a kernel that stopped before it leaves a folder without that record, and the loss has to be found again.
 */
async function lastBegunEpoch(folders: EpochFolders, known: number): Promise<number> {
  const later = (await folders.epochs()).filter((epoch) => epoch > known).toSorted((one, other) => other - one);
  for (const epoch of later) if (await hasBegun(await folders.folder(epoch), epoch)) return epoch;
  return known;
}

async function hasBegun(folder: FileFolder, epoch: number): Promise<boolean> {
  for (const name of await folder.names()) {
    const blob = await folder.blob(name);
    // a kernel that writes the file right now has begun its epoch
    if (blob && (await tellsOf(blob, epoch).catch(isBeingWritten))) return true;
  }
  return false;
}

async function tellsOf(blob: Blob, epoch: number): Promise<boolean> {
  for await (const { header, body } of framesIn(blob)) {
    if (hasContents(header.state) && isOwnRecord(decodeBody(body, header.state, 'viewed'), epoch)) return true;
  }
  return false;
}

/** True for a record of this epoch about the log itself. */
function isOwnRecord(entry: Entry, epoch: number): boolean {
  const held = batchIn(entry);
  return held?.run_id === SYSTEM && held.records.some((text) => (JSON.parse(text) as LedgerRecord).epoch === epoch);
}

function isBeingWritten(reason: unknown): boolean {
  if (reason instanceof DOMException && reason.name === 'NotReadableError') return true;
  throw reason;
}

/** Private files of a ledger: a folder for each epoch. */
export interface EpochFolders {
  /** The epochs that have a folder. */
  epochs(): Promise<readonly number[]>;
  folder(epoch: number): Promise<FileFolder>;
  /** Erases these runs, and all rows, from the files of earlier epochs. */
  forget(epoch: number, run_ids: ReadonlySet<string>): Promise<void>;
  remove(): Promise<void>;
}

function epochFolders(root: FileSystemDirectoryHandle, name: string): EpochFolders {
  const base = () => root.getDirectoryHandle(name, { create: true });
  const folder = async (epoch: number): Promise<FileFolder> =>
    privateFolder(await (await base()).getDirectoryHandle(`e${epoch}`, { create: true }));
  const epochs = async (): Promise<readonly number[]> =>
    (await namesIn(await base())).map((each) => Number(each.slice(1)));
  return {
    epochs,
    folder,
    async forget(epoch, run_ids) {
      for (const old of await epochs()) {
        if (old >= epoch) continue;
        await wipeFiles(await folder(old), undefined, (entry) => {
          const held = batchIn(entry);
          return held === undefined || run_ids.has(held.run_id);
        });
      }
    },
    remove: () => root.removeEntry(name, { recursive: true }).catch(ignoreAbsent),
  };
}

/**
 * The private files of a ledger, if the platform has them and they can be read. Files that hold a part of the ledger
 * must be read: `mirror_lost`.
 */
export async function usableFolders(name: string, index: LogIndex): Promise<Outcome<EpochFolders | undefined>> {
  const root = await openRoot();
  const folders = root && epochFolders(root, name);
  const isRead = await folders?.epochs().then(
    () => true,
    () => false,
  );
  if (isRead) return pass(folders);
  const offsets = await index.offsets();
  if (!offsets.ok) return offsets;
  const isUsed = [...offsets.value.keys()].some((file) => file.endsWith('.journal'));
  return isUsed ? refuse('mirror_lost', { reason: 'unreadable' }) : pass(undefined);
}
