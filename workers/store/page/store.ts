import { assert } from '../../../core/assert.ts';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import { makeSerialQueue, type SerialQueue } from '../../async.ts';
import type { TellShare } from '../../ports.ts';
import { ORIGIN } from '../origin.ts';
import { inParts } from '../rows.ts';
import type { Append, Batch, Durability, Exchange, LedgerStore, Pages } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { RESTORING, refuseFor } from './database.ts';
import { type DatabaseStore, openDatabaseStore } from './database-store.ts';
import { CurrentEpoch, type EpochFolders, FoundEvent, usableFolders } from './epoch.ts';
import type { FileLog } from './file-log.ts';
import { type FoundIncoming, type IncomingLog, mirrorName, settleIncoming, writeIncoming } from './incoming.ts';
import { DatabaseIndex } from './log-index.ts';
import { isDenied } from './open-database.ts';
import { mirrorRefusal, openScratch, removeScratch, sweepScratch } from './opfs.ts';
import { isAloneSoon, joinLedger, kernelsOn, type Presence } from './presence.ts';
import { putAside, Readers, Renewal, renewFiles, restorePages, scanFiles, wipeFiles } from './rewrite.ts';
import { countStaleFiles, eraseRows } from './row-erasure.ts';
import { Witness } from './witness.ts';

/** The ledger in private files, with its index in IndexedDB and its witness. */
export interface PageStore extends LedgerStore {
  epoch(): number;
  status(): StorageStatus;
  /** Writes delayed data now, because the page hides. */
  settle(): Promise<void>;
}

/**
 * Opens the ledger, and repairs it: an index that lacks content is filled from the private files, or a new epoch
 * records the loss. Without private files IndexedDB is alone, and the status says `mirror: 'none'`. A long opening
 * tells which share of it is done.
 */
export async function openPageStore(
  name = 'sallyport',
  tell: TellShare = () => undefined,
): Promise<Outcome<PageStore>> {
  const log = await PageLog.open(name, tell);
  return log.ok ? pass(storeOver(log.value)) : log;
}

function storeOver(log: PageLog): PageStore {
  const { store } = log;
  return {
    kind: store.kind,
    read: (...args) => log.settled(() => store.read(...args)),
    payload: (...args) => log.settled(() => store.payload(...args)),
    runs: () => log.settled(store.runs),
    run: (run_id) => log.settled(() => store.run(run_id)),
    head: () => log.told(store.head),
    snapshot: () => log.told(store.snapshot),
    get: (...args) => log.settled(() => store.get(...args)),
    all: (...args) => log.settled(() => store.all(...args)),
    append: (append, durability) => log.append(append, durability),
    put: (writes, durability) => log.put(writes, durability),
    scratch: () => openScratch(log.name),
    replace: (batches) => log.replace(batches),
    tidy: (run_id) => log.tidy(run_id),
    staleCopies: () => log.staleCopies(),
    log: (...args) => log.settled(() => store.log(...args)),
    restore: (pages) => log.restore(pages),
    exchange: (pages) => log.exchange(pages),
    gather: (run_id) => log.gather(run_id),
    fill: () => log.fill(),
    placed: () => log.placed(),
    isShared: () => log.isShared(),
    destroy: () => log.destroy(),
    epoch: () => log.epoch,
    status: () => log.status(),
    settle: () => log.settle(),
    close: () => log.close(),
  };
}

/** The open parts of a ledger. */
interface LedgerParts {
  readonly store: DatabaseStore;
  readonly index: DatabaseIndex;
  /** Absent where there are no private files. */
  readonly folders: EpochFolders | undefined;
}

/** The private files, the database and the witness of a kernel. Without private files the database is alone. */
class PageLog {
  readonly store: DatabaseStore;
  readonly name: string;
  private readonly folders: EpochFolders | undefined;
  private readonly current: CurrentEpoch;
  private readonly index: DatabaseIndex;
  private readonly witness: Witness;
  private readonly renewal: Renewal = new Renewal();
  private readonly readers: Readers = new Readers();
  /** Queue of the writers of many rows, and of the rewrite from the index. Appends do not wait for it. */
  private readonly inTurn: SerialQueue = makeSerialQueue();
  private trouble: StorageStatus['trouble'];
  private taken = 0;
  /** The last restore was cut off: the log is as it was before. */
  private isCut = false;
  private presence: Presence | undefined;
  /** Whether the other kernels have answered the last announcement of an erasure. */
  private answered: Promise<boolean> = Promise.resolve(true);
  private looking: Promise<Outcome<void>> | undefined;
  private readonly found: FoundEvent = new FoundEvent();

  private constructor(name: string, { store, index, folders }: LedgerParts, tell: TellShare) {
    this.name = name;
    this.store = store;
    this.index = index;
    this.folders = folders;
    const witness = (this.witness = new Witness(name));
    const events = {
      onShare: tell,
      onPlaced: () => this.seen(),
      onLost: async () => {
        const found = await this.checkFiles();
        void this.recordEvent();
        return found;
      },
    };
    this.current = new CurrentEpoch({ store, index, folders, witness, events });
  }

  get epoch(): number {
    return this.current.number;
  }

  /** The private files of the current epoch, where there are private files. */
  private get files(): FileLog | undefined {
    return this.current.files;
  }

  static async open(name: string, tell: TellShare): Promise<Outcome<PageLog>> {
    const made: { log?: PageLog } = {};
    // Joins first: a kernel that rewrites or replaces the files has to know that it is alone.
    const presence = joinLedger(name, {
      onErased: async () => {
        if (made.log === undefined) throw new Error('The ledger is being opened.');
        await made.log.sweep();
      },
      onJoined: () => void made.log?.renewal.stop(),
    });
    const opened = await PageLog.openJoined(name, tell, (log) => {
      made.log = log;
      log.presence = presence;
    });
    if (!opened.ok) presence.leave();
    return opened;
  }

  private static async openJoined(
    name: string,
    tell: TellShare,
    onMade: (log: PageLog) => void,
  ): Promise<Outcome<PageLog>> {
    const incoming = await settled(name);
    if (!incoming.ok) return incoming;
    const made: { log?: PageLog } = {};
    const store = await openDatabaseStore(name, async () => {
      made.log?.seen();
      return pass(undefined);
    });
    if (!store.ok) return store;
    const index = new DatabaseIndex(store.value);
    const folders = await usableFolders(mirrorName(name), index);
    if (!folders.ok) return folders;
    const log = new PageLog(name, { store: store.value, index, folders: folders.value }, tell);
    made.log = log;
    onMade(log);
    const isMarked = incoming.value !== 'busy' && (await log.takeMark());
    log.isCut = isMarked || incoming.value === 'cut';
    const checked = await log.checkFiles();
    const found = checked.ok ? await log.recordEvent() : checked;
    if (!found.ok) return found;
    void sweepScratch(name);
    return pass(log);
  }

  async append(append: Append, durability: Durability): Promise<Outcome<undefined>> {
    const isShaken = this.looking !== undefined || this.taken !== this.store.taken;
    if (isShaken || this.found.isDue) {
      const checked = isShaken ? await this.checkFiles() : pass(undefined);
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
      if (run_id !== undefined || (await this.isShared())) await this.sweep();
      await folders.forget(this.epoch, new Set(run_id === undefined ? [] : [run_id]));
      this.answered = this.presence?.announceErasure() ?? this.answered;
    } catch (reason) {
      return this.tell(mirrorRefusal(reason));
    }
    return this.alone(async () => this.tell(await renewFiles(files, this.store, this.inTurn)));
  }

  /** Number of files of other kernels that still hold erased content, once these had time to erase it. */
  async staleCopies(): Promise<number> {
    const { files } = this;
    if (files === undefined) return 0;
    const isAnswered = await this.answered;
    if (!(await this.isShared())) return 0;
    // with the values gone from the other files, the rows that tell of their removal can go, too
    await this.sweep().catch(() => undefined);
    return isAnswered ? 0 : countStaleFiles(files, this.store).catch(() => 0);
  }

  async restore(pages: Pages): Promise<Outcome<void>> {
    const { files } = this;
    const { index } = this;
    const marked = await index.setOffsets(new Map([[RESTORING, 1]]), 'strict');
    if (!marked.ok) return this.tell(marked);
    const done = await (files ? restorePages(files, this.store, pages) : this.store.restore(pages));
    if (!done.ok) await index.setOffsets(new Map([[RESTORING, undefined]]));
    return this.tell(done);
  }

  /** Writes the pages beside the ledger: into private files where there are some, else behind the commit. */
  async exchange(pages: Pages): Promise<Outcome<Exchange>> {
    const { index } = this;
    const marked = await index.setOffsets(new Map([[RESTORING, 1]]), 'strict');
    if (!marked.ok) return marked;
    const forget = async (): Promise<void> => void (await index.setOffsets(new Map([[RESTORING, undefined]])));
    const incoming =
      this.folders &&
      (await writeIncoming(this.name, pages).catch((reason: unknown) => {
        void forget();
        throw reason;
      }));
    if (incoming?.ok === false) {
      await forget();
      return incoming;
    }
    const discard = async (): Promise<void> => {
      await incoming?.value.discard();
      await forget();
    };
    const commit = (): Promise<Outcome<void>> =>
      this.withOpenLock(async () => {
        if (await this.isShared()) {
          await discard();
          return refuse('store_busy', {});
        }
        await this.renewal.stop();
        await this.witness.remove();
        await this.inTurn(async () => this.files?.close());
        const done = await (incoming ? this.giveWay(incoming.value) : this.exchangeIndex(pages));
        this.presence?.leave();
        return done;
      });
    return pass({ commit, discard });
  }

  private async giveWay(incoming: IncomingLog): Promise<Outcome<void>> {
    await this.store.close();
    return incoming.take();
  }

  private async exchangeIndex(pages: Pages): Promise<Outcome<void>> {
    const exchange = await this.store.exchange?.(pages);
    assert(exchange?.ok === true, 'the database prepares nothing');
    return exchange.value.commit();
  }

  /** A log whose end this kernel may tell: it covers all kernels, and its order is in a file. */
  told<T>(read: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.readers.count(async () => {
      const gathered = await this.gather();
      const found = gathered.ok ? await read() : gathered;
      const noted = found.ok && this.files ? await this.files.note() : found;
      return noted.ok ? found : noted;
    });
  }

  /** Reads behind everything that this kernel has acknowledged. */
  settled<T>(read: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.readers.count(async () => {
      const settled = await this.fill();
      return settled.ok ? read() : settled;
    });
  }

  fill(): Promise<Outcome<void>> {
    return this.files?.queue.settle() ?? Promise.resolve(pass(undefined));
  }

  /** Takes the files of other kernels into the index; `run_id` is a run whose lock the caller has just taken. */
  async gather(run_id?: string): Promise<Outcome<void>> {
    const { files } = this;
    if (files === undefined) return pass(undefined);
    return run_id === undefined ? files.gather() : files.take(run_id);
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
    const { trouble, epoch } = this;
    const { state } = this.current;
    const mirror = this.folders === undefined ? 'none' : 'opfs';
    const cut = this.isCut && { cut: true as const };
    return { kind: 'indexeddb', state, mirror, epoch, ...cut, ...(trouble && { trouble }) };
  }

  async settle(): Promise<void> {
    await this.fill();
    await this.witness.settle();
  }

  async close(): Promise<void> {
    await this.renewal.stop();
    await this.settle();
    // the files settle once more
    await this.witness.end();
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
      await this.looking;
      // the next opening has to find a loss that is not recorded yet, by the witness from before it
      if (this.found.isPending || files !== this.files) return undefined;
      const log = await (files?.note() ?? this.store.frontier());
      return log.ok ? log.value : undefined;
    });
  }

  /** Erases content that another copy has erased already, and rows that the index does not have any more. */
  private async sweep(): Promise<void> {
    const { files } = this;
    if (files === undefined) return;
    const scan = await scanFiles(files.folder, files.own);
    if (scan.uneven) await wipeFiles(files.folder, files.own, scan.isStale);
    // a kernel that is alone writes its files anew
    const swept = (await this.isShared()) ? await this.inTurn(() => eraseRows(files, this.store)) : pass(undefined);
    if (!swept.ok) throw new Error(swept.refusal.message);
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
    this.taken = this.store.taken;
    const found = await this.withOpenLock(() => this.current.compare().catch(mirrorRefusal));
    if (!found.ok) return found;
    // not awaited: the caller that opens a ledger wants to use it
    if (this.files !== undefined) this.renewal.begin((signal) => this.inspect(signal));
    this.found.keep(found.value);
    return pass(undefined);
  }

  /** Records what the last comparison found. Its record goes through the queue, which may wait for a comparison. */
  private async recordEvent(): Promise<Outcome<void>> {
    const append: LedgerStore['append'] = (...args) => this.append(...args);
    return this.found.record({ ...this.store, append }, this.epoch);
  }

  private async inspect(signal: AbortSignal): Promise<void> {
    const { files } = this;
    if (files === undefined) return;
    const scan = await scanFiles(files.folder, files.own, { signal, rest: () => this.readers.rest() });
    if (scan.uneven) await wipeFiles(files.folder, files.own, scan.isStale);
    if (!scan.due) return;
    if (await this.isShared()) await this.inTurn(() => eraseRows(files, this.store));
    else await this.alone(() => renewFiles(files, this.store, this.inTurn, signal));
  }

  private withOpenLock<T>(look: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return withOpenLock(this.name, look);
  }

  /** True where a restore was cut off before its content was in the index. It is told once. */
  private async takeMark(): Promise<boolean> {
    const { index } = this;
    const offsets = await index.offsets();
    if (!offsets.ok || !offsets.value.has(RESTORING) || !(await isAloneSoon(this.name))) return false;
    return (await index.setOffsets(new Map([[RESTORING, undefined]]))).ok;
  }

  /** Acts while no other kernel has the ledger open or can open it. */
  private alone(act: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    return this.withOpenLock(async () => ((await kernelsOn(this.name)) > 1 ? pass(undefined) : act()));
  }
}

/** Completes a replacement that was stopped behind its mark. A ledger that it cannot complete is not opened. */
async function settled(name: string): Promise<Outcome<FoundIncoming>> {
  try {
    return pass(await withOpenLock(name, () => settleIncoming(name, () => isAloneSoon(name))));
  } catch (reason) {
    // a frame that is denied all storage is denied the lock first
    return isDenied(reason) ? refuseFor(reason) : mirrorRefusal(reason);
  }
}

/** Acts while no other kernel compares or replaces the ledger. */
function withOpenLock<T>(name: string, act: () => Promise<T>): Promise<T> {
  return ORIGIN.locks === undefined ? act() : ORIGIN.locks.request(`sallyport:open:${name}`, act);
}

/** At most the first two parts of rows. */
function* firstParts(tables: Iterable<TableWrite>): Generator<readonly TableWrite[]> {
  let parts = 0;
  for (const part of inParts(tables)) {
    yield part;
    if (++parts === 2) return;
  }
}
