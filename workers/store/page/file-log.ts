import { refuse } from '../../../core/errors.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { makeSerialQueue, type SerialQueue } from '../../async.ts';
import { wipeAll } from '../journal/journal.ts';
import {
  type Append,
  type Batch,
  compact,
  type Durability,
  hashesOf,
  isThere,
  nextPending,
  withoutPlace,
} from '../store.ts';
import { SYSTEM } from '../system-log.ts';
import type { TableWrite } from '../tables.ts';
import { FILLING } from './database.ts';
import { IndexFill, PAGE_BYTES, readBehind } from './fill.ts';
import { type FillClock, FillQueue } from './fill-queue.ts';
import type { LogIndex } from './log-index.ts';
import { type FileFolder, mirrorRefusal } from './opfs.ts';
import type { Placement, Unplaced } from './places.ts';
import { type Arrangement, arrange } from './places.ts';
import { type JournalFile, PrivateFile } from './private-file.ts';

/** Events of a log in private files. */
export interface FileLogEvents {
  /** The index has taken content in; the log ends there now. */
  onPlaced(log: Frontier): void;
  /** The index is shorter than it was. It is filled again from the files. */
  onLost(): Promise<Outcome<void>>;
  /** A long opening has done this share of its work, from 0 to 1. */
  onShare?(share: number): void;
}

/** Clock and page size, so that a test can play time and make pages small. */
interface FileLogOptions {
  readonly clock?: FillClock;
  readonly pageBytes?: number;
}

/**
 * A log whose truth are private files: content is acknowledged when it is in the file of this kernel. The index gives
 * each batch its place in the log, behind the acknowledgement.
 */
export class FileLog {
  readonly epoch: number;
  readonly folder: FileFolder;
  readonly index: LogIndex;
  readonly queue: FillQueue;
  private readonly events: FileLogEvents;
  /** Bytes of the files that enter the index at once. */
  private readonly pageBytes: number;
  private readonly file: PrivateFile;
  private readonly ends: RunEnds;
  /** Appends that wait for their turn, in the order of their arrival. */
  private readonly inOrder: SerialQueue = makeSerialQueue();
  private waiting = 0;
  /** Greatest known size of the log. */
  private floor = 0;
  /** A gathering was refused; the next use repeats it. */
  private owed = false;
  /** Another epoch has begun, in another folder. */
  private isRetired = false;

  constructor(
    epoch: number,
    folder: FileFolder,
    index: LogIndex,
    events: FileLogEvents,
    { clock, pageBytes = PAGE_BYTES }: FileLogOptions = {},
  ) {
    this.epoch = epoch;
    this.pageBytes = pageBytes;
    this.folder = folder;
    this.index = index;
    this.events = events;
    this.queue = new FillQueue((waiting, durability) => this.place(waiting, durability), clock);
    this.file = new PrivateFile(folder, this.queue, clock);
    this.ends = new RunEnds(this.queue, index);
  }

  /** The private file of this kernel. */
  get own(): JournalFile {
    return this.file.own;
  }

  /** Claims the file of this kernel, and notes it in the index. */
  async claim(): Promise<Outcome<void>> {
    if (this.file.name !== undefined) return pass(undefined);
    const offsets = await this.index.offsets();
    if (!offsets.ok) return offsets;
    await this.file.claim(offsets.value);
    return offsets.value.has(this.own.name) ? pass(undefined) : this.index.setOffsets(new Map([[this.own.name, 0]]));
  }

  /** Adds records to a run whose lock the caller holds. As `LedgerStore.append`. */
  async append(append: Append, durability: Durability): Promise<Outcome<void>> {
    const { run_id } = append;
    if (run_id !== SYSTEM && this.waiting === 0 && this.isReady(run_id)) return this.appendNow(append, durability);
    this.waiting++;
    const begun = await this.inOrder(() => this.begin(append, durability));
    return begun.ok ? begun.value : begun;
  }

  /** Begins an append when this kernel may write; the next append does not wait for its flush. */
  private async begin(append: Append, durability: Durability): Promise<Outcome<Promise<Outcome<void>>>> {
    try {
      if (append.run_id === SYSTEM) this.ends.forget(SYSTEM);
      do {
        await this.file.free();
        const ready = await this.ready(append.run_id);
        if (!ready.ok) return ready;
      } while (!this.isReady(append.run_id));
      return pass(this.appendNow(append, durability));
    } finally {
      this.waiting--;
    }
  }

  private isReady(run_id: string): boolean {
    return this.file.isFree && !this.owed && !this.isRetired && this.queue.hasRoom && this.ends.isLoaded(run_id);
  }

  /** Writes at once: a second append in between would get the same place. */
  private async appendNow(append: Append, durability: Durability): Promise<Outcome<void>> {
    const { run_id, expected, tables = [] } = append;
    const next = nextPending(this.ends.row(run_id), append);
    if (!next.ok) return this.repeated(append, durability, next);
    if (this.ends.isForked(run_id)) return this.moved(append);
    const rows = tables.length > 0 ? structuredClone(tables) : tables;
    const links = { prev: expected.head, hashes: hashesOf(append) };
    const { file } = this;
    const batch = compact(next.value);
    const written = file.writeNow({ batch, links, tables: rows });
    if (!written.ok) return file.isAlive() ? written : file.reopened(written, () => this.append(append, durability));
    this.ends.set(run_id, batch.run);
    if (durability === 'relaxed') return pass(undefined);
    const isFlushEnough = append.records.at(-1)?.record.kind === 'receipt';
    const done = await file.secure(written.value, isFlushEnough);
    if (!done.ok || !this.ends.isForked(run_id)) return done;
    if (run_id === SYSTEM) await wipeAll(this.own.file, [written.value.frame]);
    return this.moved(append);
  }

  /** Refusal of an append to a run that another writer has continued. */
  private async moved({ run_id, expected }: Append): Promise<Outcome<never>> {
    const found = await this.index.run(run_id);
    if (!found.ok) return found;
    return refuse('head_moved', { expected: expected.records, found: found.value?.records ?? 0 });
  }

  /** Writes rows that belong to no record. */
  async put(tables: readonly TableWrite[]): Promise<Outcome<void>> {
    const ready = await this.ready();
    if (!ready.ok) return ready;
    const written = await this.file.write({ tables: structuredClone(tables) });
    return written.ok ? this.file.secure(written.value, false) : written;
  }

  /** Replaces batches by their remainders after an erasure. */
  async replace(batches: readonly Batch[]): Promise<Outcome<void>> {
    const ready = await this.ready();
    if (!ready.ok) return ready;
    let last: Unplaced | undefined;
    for (const batch of batches) {
      const content = { batch: withoutPlace(batch), less: true, tables: [] } as const;
      const written = await this.file.write(content, { batch, less: true, tables: [] });
      if (!written.ok) return written;
      last = written.value;
    }
    return last === undefined ? pass(undefined) : this.file.secure(last, false);
  }

  /** The caller has taken the lock of this run: another kernel may have written it. */
  take(run_id: string): Promise<Outcome<void>> {
    this.ends.forget(run_id);
    return this.gather();
  }

  /** Takes the files of other kernels into the index. */
  async gather(): Promise<Outcome<void>> {
    const settled = await this.queue.settle();
    const read = settled.ok ? await this.read({ all: false, own: false }) : settled;
    const isLost = !read.ok && read.refusal.code === 'log_lost';
    const gathered = isLost ? await this.events.onLost() : read;
    this.owed = !gathered.ok;
    return gathered.ok ? pass(undefined) : gathered;
  }

  /** As `gather`, when a ledger is opened or its index was lost: the file of this kernel counts as another file. */
  async read({ all, own }: { readonly all: boolean; readonly own: boolean }): Promise<Outcome<Arrangement>> {
    const offsets = await this.index.offsets();
    if (!offsets.ok) return offsets;
    const isCut = offsets.value.has(FILLING);
    try {
      const { folder, index, pageBytes: keep } = this;
      const except = own ? undefined : this.file.name;
      const tails = await readBehind(folder, index, { offsets: offsets.value, all, except, keep });
      if (!tails.ok) return tails;
      const { contents, notes, ends: found, log } = tails.value;
      const arranged = arrange(contents, notes, log.size);
      const { size } = arranged.told;
      // an absent batch may be in a file that was passed over
      if (!all && arranged.followed < size) return refuse('log_lost', { size, found: arranged.followed });
      const ends = [...found].filter(([file, end]) => end > (offsets.value.get(file) ?? 0));
      // content without a batch or rows only moves the offset
      const rests = ends.map(([file, end]): Unplaced => ({ file, end, tables: [], at: 0 }));
      if (arranged.contents.length + rests.length === 0 && !isCut) return pass(arranged);
      const tell = (share: number): void => this.events.onShare?.(share);
      const fill = new IndexFill(folder, index, { pageBytes: keep, tell });
      const placed = await fill.take(arranged, rests, isCut);
      if (!placed.ok) return placed;
      this.told(placed.value);
      return pass(arranged);
    } catch (reason) {
      return mirrorRefusal(reason);
    }
  }

  /** Writes the order of the log to the file, so that a size or a root of it can be told. */
  async note(): Promise<Outcome<Frontier>> {
    const unnoted = await this.index.unnoted();
    if (!unnoted.ok) return unnoted;
    const { note, log } = unnoted.value;
    if (note === undefined) return pass(log);
    const written = await this.file.write({ tables: [] }, { note, tables: [] });
    if (!written.ok) return written;
    const flushed = await this.file.flush().then(() => pass(undefined), mirrorRefusal);
    if (!flushed.ok) return flushed;
    const noted = await this.index.setNoted(log.size);
    return noted.ok ? pass(log) : noted;
  }

  /** Keeps all writers out while `act` exchanges the file of this kernel. */
  exchange(act: (old: JournalFile) => Promise<Outcome<JournalFile>>): Promise<Outcome<void>> {
    return this.file.exchange(act);
  }

  /** Refuses further writes, because another epoch has begun. */
  retire(): Promise<void> {
    this.isRetired = true;
    return this.closeFile();
  }

  /** Forgets the size of a log that was lost: the files fill the index again. */
  reset(): void {
    this.floor = 0;
  }

  /** Closes the ledger's files. What the index could not take in is in the files for the next opening. */
  async close(): Promise<void> {
    await this.closeFile();
    this.queue.end();
  }

  private async closeFile(): Promise<void> {
    await this.queue.settle();
    this.file.close();
  }

  /** Returns when this kernel may write, and knows the end of the run. */
  private async ready(run_id?: string): Promise<Outcome<void>> {
    if (this.isRetired) return refuse('mirror_lost', { reason: 'epoch' });
    if (this.owed) {
      const gathered = await this.gather();
      if (!gathered.ok) return gathered;
    }
    const room = await this.queue.room();
    if (!room.ok) return room;
    return run_id === undefined ? pass(undefined) : this.ends.load(run_id);
  }

  /** Answers an append that does not continue its run: `refused`, unless it was written before. */
  private async repeated(append: Append, durability: Durability, refused: Refused): Promise<Outcome<void>> {
    const { run_id, expected } = append;
    const last = append.records.at(-1)?.record.hash;
    const waiting = this.queue.find(
      ({ batch }) => batch?.run_id === run_id && batch.run_seq === expected.records && batch.run.head === last,
    );
    if (waiting !== undefined) return durability === 'strict' ? this.file.secure(waiting, false) : pass(undefined);
    const found = await this.index.batchAt(run_id, expected.records);
    if (!found.ok || found.value === undefined || !isThere(found.value, append)) return refused;
    if (durability === 'relaxed') return pass(undefined);
    // the file that has it may be another one by now
    const flushed = await this.place([], 'strict');
    return flushed.ok ? pass(undefined) : flushed;
  }

  private async place(waiting: readonly Unplaced[], durability: Durability): Promise<Outcome<Placement>> {
    const placed = await this.index.place(waiting, { durability, floor: this.floor });
    if (!placed.ok && placed.refusal.code === 'log_lost') {
      const found = await this.events.onLost();
      return found.ok ? this.place(waiting, durability) : found;
    }
    if (!placed.ok) return placed;
    for (const run_id of placed.value.forked) this.ends.fork(run_id);
    this.told(placed.value);
    return placed;
  }

  private told({ log }: Placement): void {
    this.floor = Math.max(this.floor, log.size);
    this.events.onPlaced(log);
  }
}

/** Row of each run that this kernel writes, behind its last acknowledged batch. */
export class RunEnds {
  private readonly queue: FillQueue;
  private readonly index: LogIndex;
  private readonly ends = new Map<string, { readonly row: RunRow | undefined }>();
  private readonly loading = new Map<string, Promise<Outcome<void>>>();
  /** Runs that another writer has continued. */
  private readonly forked = new Set<string>();

  constructor(queue: FillQueue, index: LogIndex) {
    this.queue = queue;
    this.index = index;
  }

  isLoaded(run_id: string): boolean {
    return this.ends.has(run_id);
  }

  row(run_id: string): RunRow | undefined {
    return this.ends.get(run_id)?.row;
  }

  /** Keeps the row while the run goes on. The index has the row of a finished run, and a next task of it reads it there. */
  set(run_id: string, row: RunRow): void {
    if (row.sealed) this.ends.delete(run_id);
    else this.ends.set(run_id, { row });
  }

  isForked(run_id: string): boolean {
    return this.forked.has(run_id);
  }

  fork(run_id: string): void {
    this.forked.add(run_id);
  }

  /** Forgets a run whose batches are all in the index, because another kernel may have written it. */
  forget(run_id: string): void {
    if (this.queue.find(({ batch }) => batch?.run_id === run_id) !== undefined) return;
    this.ends.delete(run_id);
    this.forked.delete(run_id);
  }

  /** Reads the row of a run from the index; for a loaded run at once. */
  load(run_id: string): Promise<Outcome<void>> {
    if (this.isLoaded(run_id)) return Promise.resolve(pass(undefined));
    const found = this.loading.get(run_id);
    if (found !== undefined) return found;
    const loading = this.read(run_id).finally(() => this.loading.delete(run_id));
    this.loading.set(run_id, loading);
    return loading;
  }

  private async read(run_id: string): Promise<Outcome<void>> {
    const settled = await this.queue.settle();
    if (!settled.ok) return settled;
    const row = await this.index.run(run_id);
    if (row.ok) this.ends.set(run_id, { row: row.value });
    return row.ok ? pass(undefined) : row;
  }
}
