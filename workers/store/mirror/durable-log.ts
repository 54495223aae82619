import { refuse } from '../../../core/errors.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import { makeSerialQueue, type SerialQueue } from '../../async/serial-queue.ts';
import { idbIndex } from '../idb/log-index.ts';
import { type BrowserStore, openBrowserStore } from '../idb/store.ts';
import { ORIGIN } from '../origin.ts';
import { inParts } from '../rows.ts';
import type { Append, Batch, Durability, LedgerStore, Pages } from '../store.ts';
import { epochOf, recordInLog } from '../system-log.ts';
import type { TableWrite } from '../tables.ts';
import { fillFromFiles } from './compare.ts';
import { type EpochFolders, epochFolders } from './epochs.ts';
import { FileLog } from './file-log.ts';
import { INCOMPLETE, type LogIndex } from './log-index.ts';
import { openRoot } from './opfs.ts';
import { joinLedger, kernelsOn, type Presence } from './presence.ts';
import { mirrorRefusal } from './refusal.ts';
import { Renewal } from './renewal.ts';
import { putAside, renewFiles, restorePages, topUp } from './rewrite.ts';
import { scanFiles, wipeFiles } from './scan.ts';
import { removeScratch, sweepScratch } from './scratch.ts';
import { type Witness, type WitnessKeeper, witnessKeeper } from './witness.ts';

/** The private files, the database and the witness of a kernel. Without private files the database is alone. */
export class DurableLog {
  epoch = 1;
  readonly store: BrowserStore;
  readonly name: string;
  private readonly index: LogIndex;
  private readonly folders: EpochFolders | undefined;
  private files: FileLog | undefined;
  private readonly witness: WitnessKeeper;
  private readonly renewal: Renewal = new Renewal();
  /** Queue of the writers of many rows, and of the rewrite from the index. Appends do not wait for it. */
  private readonly inTurn: SerialQueue = makeSerialQueue();
  private state: StorageStatus['state'] = 'good';
  private trouble: StorageStatus['trouble'];
  private taken = 0;
  private presence: Presence | undefined;
  private looking: Promise<Outcome<void>> | undefined;
  /** Event that the last comparison found, until it is recorded. */
  private event: LogBody | undefined;

  private constructor(name: string, store: BrowserStore, folders: EpochFolders | undefined) {
    this.name = name;
    this.store = store;
    this.index = idbIndex(store);
    this.folders = folders;
    this.witness = witnessKeeper(name);
  }

  static async open(name: string): Promise<Outcome<DurableLog>> {
    const made: { log?: DurableLog } = {};
    const store = await openBrowserStore(name, async () => {
      made.log?.seen();
      return pass(undefined);
    });
    if (!store.ok) return store;
    const root = await openRoot();
    const folders = await usable(root && epochFolders(root, `${name}.mirror`), store.value);
    if (!folders.ok) return folders;
    const log = new DurableLog(name, store.value, folders.value);
    made.log = log;
    // Joins first: a kernel that rewrites the files has to know that it is alone.
    log.presence = joinLedger(name, {
      onErased: () => void log.sweep().catch(() => undefined),
      onJoined: () => void log.renewal.stop(),
    });
    const checked = await log.checkFiles();
    const found = checked.ok ? await log.recordEvent() : checked;
    if (!found.ok) log.presence.leave();
    if (!found.ok) return found;
    void sweepScratch(name);
    return pass(log);
  }

  async append(append: Append, durability: Durability): Promise<Outcome<undefined>> {
    if (this.looking !== undefined || this.taken !== this.store.taken) {
      const checked = await this.checkFiles();
      const found = checked.ok ? await this.recordEvent() : checked;
      if (!found.ok) return this.tell(found);
    }
    const { files } = this;
    const done = await (files?.append(append, durability) ?? this.store.append(append, durability));
    const isAgain = !done.ok && (files !== this.files || (files === undefined && done.refusal.code === 'log_lost'));
    if (!isAgain) return this.tell(done.ok ? pass(undefined) : done);
    const found = await this.checkFiles();
    return found.ok ? this.append(append, durability) : this.tell(found);
  }

  async put(tables: Iterable<TableWrite>, durability: Durability): Promise<Outcome<void>> {
    const { files } = this;
    const put = () => this.store.put(tables, durability);
    if (files === undefined) return this.tell(await put());
    const [first = [], ...others] = [...firstParts(tables)];
    if (others.length === 0) return this.tell(await files.put(first));
    return this.tell(await this.inTurn(() => putAside(files, tables, put)));
  }

  async replace(batches: readonly Batch[]): Promise<Outcome<void>> {
    // a running renewal may hold the content to be erased
    await this.renewal.stop();
    return this.tell(await (this.files?.replace(batches) ?? this.store.replace(batches)));
  }

  /** Erases the removed content from the files. If not alone, the remainder goes once a kernel is alone. */
  async tidy(run_id?: string): Promise<Outcome<void>> {
    const { files, folders } = this;
    if (files === undefined || folders === undefined) return pass(undefined);
    await this.renewal.stop();
    try {
      if (run_id !== undefined) {
        await this.sweep();
        await folders.forget(this.epoch, new Set([run_id]));
        this.presence?.announceErasure();
      }
    } catch (reason) {
      return this.tell(mirrorRefusal(reason));
    }
    return this.alone(async () => this.tell(await renewFiles(files, this.store, this.inTurn)));
  }

  async restore(pages: Pages): Promise<Outcome<void>> {
    const { files } = this;
    return this.tell(await (files ? restorePages(files, this.store, pages) : this.store.restore(pages)));
  }

  /** A log whose end this kernel may tell: it covers all kernels, and its order is in a file. */
  async told<T>(read: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const gathered = await this.gather();
    const found = gathered.ok ? await read() : gathered;
    const noted = found.ok && this.files ? await this.files.note() : found;
    return noted.ok ? found : noted;
  }

  /** Reads behind everything that this kernel has acknowledged. */
  async settled<T>(read: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const settled = await this.fill();
    return settled.ok ? read() : settled;
  }

  fill(): Promise<Outcome<void>> {
    return this.files?.queue.settle() ?? Promise.resolve(pass(undefined));
  }

  /** Takes the files of other kernels into the index; `run_id` is a run whose lock the caller has just taken. */
  async gather(run_id?: string): Promise<Outcome<void>> {
    if (run_id !== undefined) this.files?.forget(run_id);
    return this.files?.gather() ?? pass(undefined);
  }

  /** Returns when the index has everything that is acknowledged now, in its own time. */
  async placed(): Promise<void> {
    await this.files?.queue.placed();
  }

  async isShared(): Promise<boolean> {
    return (await kernelsOn(this.name)) > 1;
  }

  /** Deletes database, files and witness. Afterwards this kernel has no ledger. */
  async destroy(): Promise<Outcome<void>> {
    if (await this.isShared()) return refuse('store_busy', {});
    await this.renewal.stop();
    await this.witness.remove();
    await this.inTurn(async () => this.files?.close());
    const done = await this.store.destroy();
    await this.folders?.remove();
    await removeScratch(this.name);
    this.presence?.leave();
    return done;
  }

  status(): StorageStatus {
    const { state, trouble, epoch } = this;
    const mirror = this.folders === undefined ? 'none' : 'opfs';
    return { kind: 'indexeddb', state, mirror, epoch, ...(trouble && { trouble }) };
  }

  async settle(): Promise<void> {
    await this.fill();
    await this.witness.settle();
  }

  async close(): Promise<void> {
    await this.renewal.stop();
    await this.settle();
    await this.inTurn(async () => this.files?.close());
    await this.store.close();
    this.presence?.leave();
  }

  /** Keeps the last refusal visible until the next successful write. */
  private tell<T>(outcome: Outcome<T>): Outcome<T> {
    this.trouble = outcome.ok ? undefined : { code: outcome.refusal.code, message: outcome.refusal.message };
    return outcome;
  }

  private seen(): void {
    const { files, epoch } = this;
    this.witness.see(epoch, async () => {
      const log = await (files?.note() ?? this.store.frontier());
      return log.ok ? log.value : undefined;
    });
  }

  /** Erases content that another copy has erased already. */
  private async sweep(): Promise<void> {
    const { files } = this;
    if (files === undefined) return;
    const scan = await scanFiles(files.folder, files.own);
    if (scan.uneven) await wipeFiles(files.folder, files.own, scan.isStale);
  }

  /** Compares files, index and witness. A single kernel does so at a time, and in it a single call. */
  private checkFiles(): Promise<Outcome<void>> {
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async look(): Promise<Outcome<void>> {
    await this.renewal.stop();
    const found = await this.withOpenLock(() => this.compare().catch(mirrorRefusal));
    if (!found.ok) return found;
    const { value: event } = found;
    // not awaited: the caller that opens a ledger wants to use it
    if (this.files !== undefined) this.renewal.begin((signal) => this.inspect(signal));
    else void this.forgetCaches();
    this.event = event ?? this.event;
    return pass(undefined);
  }

  /** Records what the last comparison found. Its record goes through the queue, which may wait for a comparison. */
  private async recordEvent(): Promise<Outcome<void>> {
    const { event } = this;
    this.event = undefined;
    if (event === undefined) return pass(undefined);
    const append: LedgerStore['append'] = (...args) => this.append(...args);
    return recordInLog({ ...this.store, append }, this.epoch, event);
  }

  private async inspect(signal: AbortSignal): Promise<void> {
    const { files } = this;
    if (files === undefined) return;
    await this.forgetCaches();
    const scan = await scanFiles(files.folder, files.own, signal);
    if (scan.uneven) await wipeFiles(files.folder, files.own, scan.isStale);
    if (scan.due) await this.alone(() => renewFiles(files, this.store, this.inTurn, signal));
  }

  private withOpenLock<T>(look: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return ORIGIN.locks === undefined ? look() : ORIGIN.locks.request(`sallyport:open:${this.name}`, look);
  }

  /** Acts while no other kernel has the ledger open or can open it. */
  private alone(act: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    return this.withOpenLock(async () => ((await kernelsOn(this.name)) > 1 ? pass(undefined) : act()));
  }

  /** The event that the log is to record about itself. */
  private async compare(): Promise<Outcome<LogBody | undefined>> {
    this.taken = this.store.taken;
    const witness = await this.witness.read();
    const written = await epochOf(this.store);
    if (!written.ok) return written;
    this.epoch = Math.max(1, written.value, (await this.folders?.last()) ?? 0, witness?.epoch ?? 0);
    const seen = witness?.epoch === this.epoch ? witness : undefined;
    return this.folders === undefined ? this.compareAlone(seen) : this.compareFiles(this.folders, seen);
  }

  private async compareFiles(folders: EpochFolders, seen: Witness | undefined): Promise<Outcome<LogBody | undefined>> {
    const files = await this.filesOf(folders);
    files.reset();
    const found = await fillFromFiles(files, seen);
    if (!found.ok) return found;
    const { event, isIncomplete } = found.value;
    if (event !== undefined) this.state = event.event === 'lost' ? 'lost' : 'restored';
    // The remains of the old epoch stay where they are for a later inspection.
    if (event?.event === 'lost') this.epoch += 1;
    const current = await this.filesOf(folders);
    const claimed = await current.claim();
    if (!claimed.ok) return claimed;
    const topped = isIncomplete || event?.event === 'lost' ? await topUp(current, this.store) : pass(undefined);
    return topped.ok ? pass(event) : topped;
  }

  /** The files of the current epoch. */
  private async filesOf(folders: EpochFolders): Promise<FileLog> {
    const { files } = this;
    if (files?.epoch === this.epoch) return files;
    const onLost = async (): Promise<Outcome<void>> => {
      const found = await this.checkFiles();
      void this.recordEvent();
      return found;
    };
    const events = { onPlaced: () => this.seen(), onLost };
    this.files = new FileLog(this.epoch, await folders.folder(this.epoch), this.index, events);
    void files?.retire();
    return this.files;
  }

  /** The database is alone; should private files return, they have to be filled. */
  private async compareAlone(seen: Witness | undefined): Promise<Outcome<LogBody | undefined>> {
    const end = await this.store.frontier();
    const marked = end.ok ? await this.index.setOffsets(new Map([[INCOMPLETE, 1]])) : end;
    if (!end.ok || !marked.ok) return marked.ok ? pass(undefined) : marked;
    if (seen === undefined || end.value.size >= seen.size) return pass(undefined);
    this.state = 'lost';
    this.epoch += 1;
    this.store.forget();
    return pass({ event: 'lost', size: seen.size, root: seen.root, found: end.value.size });
  }

  /** Earlier versions kept a copy in a cache, where there were no private files. */
  private async forgetCaches(): Promise<void> {
    const { caches } = ORIGIN;
    if (caches === undefined || this.state !== 'good') return;
    for (const each of await caches.keys()) if (each.startsWith(`${this.name}.mirror.e`)) await caches.delete(each);
  }
}

/** At most the first two parts of rows. */
function* firstParts(tables: Iterable<TableWrite>): Generator<readonly TableWrite[]> {
  let parts = 0;
  for (const part of inParts(tables)) {
    yield part;
    if (++parts === 2) return;
  }
}

/** Private files are used if they can be read. Files that hold a part of the ledger must be read: `mirror_lost`. */
async function usable(
  folders: EpochFolders | undefined,
  store: BrowserStore,
): Promise<Outcome<EpochFolders | undefined>> {
  const isRead = await folders?.last().then(
    () => true,
    () => false,
  );
  if (isRead) return pass(folders);
  const offsets = await idbIndex(store).offsets();
  if (!offsets.ok) return offsets;
  const isUsed = [...offsets.value.keys()].some((name) => name.endsWith('.journal'));
  return isUsed ? refuse('mirror_lost', { reason: 'unreadable' }) : pass(undefined);
}
