import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeSerialQueue, type SerialQueue } from '../../async.ts';
import { type FrameUsage, makeFrameUsage, needsCompaction, needsCompactionInUse } from '../journal/compaction.ts';
import type { Entry } from '../journal/frame.ts';
import type { ByteFile } from '../journal/journal.ts';
import {
  appendFrames,
  damaged,
  type FramePlace,
  openChain,
  type ReadJournal,
  readJournal,
  type Visit,
  wipeAll,
  wipeEach,
} from '../journal/journal.ts';
import { inParts } from '../rows.ts';
import { type Append, type Batch, type Durability, nextBatch, type Pages } from '../store.ts';
import { TABLES, type TableWrite } from '../tables.ts';
import { LogContents, repeatedBatch } from './batches.ts';
import { copyInto } from './copy.ts';
import { failure } from './file.ts';
import type { DirectoryLock } from './lock.ts';
import { type DirectoryWitness, type FlushedExtent, NO_WITNESS } from './witness.ts';

/** The lock that this process has on the log. `check` is `store_lost` once another process has taken it over. */
type LogLock = Pick<DirectoryLock, 'check' | 'isTimedOut'>;

const NO_LOCK: LogLock = { isTimedOut: false, check: () => pass(undefined) };

/** Puts a newly filled file in the place of the old file, which is closed once the new file is whole. */
export type Rewrite = (fill: (file: ByteFile) => void, close: () => void) => ByteFile;

/** A log in a single file, with the places of all batches in memory. Its owner holds the lock of the directory. */
export class DirectoryLog {
  readonly contents: LogContents;
  private current: LogFile;
  private readonly rewrite: Rewrite;
  private readonly witness: DirectoryWitness;
  private readonly lock: LogLock;
  private readonly flushes = new SharedFlush(() => this.flush());
  /** Queue of `replace`, `tidy` and `close`: a rewritten file has other places for its batches. */
  private readonly inTurn: SerialQueue = makeSerialQueue();
  /** Set while rows are written in parts: a frame between two parts would make an incomplete change count. */
  private chaining: Promise<void> | undefined;
  private isClosed = false;
  /** Bytes behind the last whole frame, in a log that was opened for reading only. */
  unreadBytes = 0;
  /** Set when the disk failed: only a new opening can tell the contents of the file. */
  private dead: Outcome<never> | undefined;

  private constructor(
    file: ByteFile,
    rewrite: Rewrite,
    witness: DirectoryWitness,
    lock: LogLock,
    { contents, sure, began, usage }: ReadLog,
  ) {
    this.current = new LogFile(file, began, usage, sure);
    this.rewrite = rewrite;
    this.witness = witness;
    this.lock = lock;
    this.contents = contents;
  }

  /**
   * Opens a log. `store_damaged`, with the file unchanged. An empty file is rewritten, so that no file ever holds only
   * half a frame, and so is the file of an owner that may live on: its next write then goes to the old file.
   */
  static open(
    file: ByteFile,
    rewrite: Rewrite,
    witness: DirectoryWitness = NO_WITNESS,
    lock: LogLock = NO_LOCK,
  ): Outcome<DirectoryLog> {
    const read = readLog(file, witness.seen);
    if (!read.ok) return read;
    const overlap = read.value.contents.places.firstOverlap();
    if (overlap !== undefined)
      return damaged(read.value.end, `does not have each record of the log once: place ${overlap}`);
    const log = new DirectoryLog(file, rewrite, witness, lock, read.value);
    const { end, stale, usage } = read.value;
    if (end < file.size()) file.truncate(end);
    const renewed =
      end === 0 || lock.isTimedOut || stale.length > 0 || needsCompaction(usage, file.size())
        ? log.renew()
        : pass(undefined);
    if (end === 0 && !renewed.ok) return renewed;
    // without room for a new file, the old file stays in use
    if (!renewed.ok) wipeEach(file, stale);
    log.current.marked = log.file.size();
    return pass(log);
  }

  /** Opens a log for reading only. The file stays as it is, even with a torn end. `store_damaged`. */
  static look(file: ByteFile, { seen }: Pick<DirectoryWitness, 'seen'>): Outcome<DirectoryLog> {
    const read = readLog(file, seen);
    if (!read.ok) return read;
    const log = new DirectoryLog(file, cannot, NO_WITNESS, NO_LOCK, read.value);
    log.unreadBytes = file.size() - read.value.end;
    return pass(log);
  }

  get file(): ByteFile {
    return this.current.file;
  }

  get log(): Frontier {
    return this.contents.log;
  }

  async append(append: Append, durability: Durability): Promise<Outcome<Batch>> {
    while (this.chaining !== undefined) await this.chaining;
    // no await from here until the frame is written: two appends would get the same place
    const batch = nextBatch(this.log, this.contents.rows.get(append.run_id), append);
    if (!batch.ok) return repeatedBatch(this, append) ?? batch;
    const { tables = [] } = append;
    const written = await this.writeNow([{ batch: batch.value, tables }], durability);
    return written.ok ? batch : written;
  }

  /** Written at once; the flush is shared with all writes that wait for the disk. */
  async write(entries: readonly Entry[], durability: Durability): Promise<Outcome<void>> {
    while (this.chaining !== undefined) await this.chaining;
    return this.writeNow(entries, durability);
  }

  private async writeNow(entries: readonly Entry[], durability: Durability): Promise<Outcome<void>> {
    const before = this.usable();
    if (!before.ok) return before;
    const { file, usage, sure: flushed } = this.current;
    // A value that cannot be cloned cannot be stored. It throws here, before any byte is written.
    const clone = (tables: Entry['tables']) => (tables.length > 0 ? structuredClone(tables) : tables);
    const copies = entries.map((entry) => ({ ...entry, tables: clone(entry.tables), flushed }));
    try {
      let end = file.size();
      const places = appendFrames(file, copies);
      for (const [nth, entry] of copies.entries()) {
        const place = places[nth] as FramePlace;
        this.contents.take(entry, place);
        // the frame with the rows stands before the frame with the batch
        usage.note({ tables: entry.tables, bound: true }, place.at - end);
        usage.note({ ...entry, tables: [] }, place.length);
        end = place.at + place.length;
      }
      this.renewIfWaste();
    } catch (reason) {
      const failed = failure(reason);
      // After a full disk the file was cut back to its old size. After any other failure its contents are unknown.
      if (!failed.ok && failed.refusal.code !== 'store_full') this.dead = failed;
      return failed;
    }
    if (durability === 'relaxed') return this.usable();
    try {
      await this.flushes.next();
    } catch (reason) {
      this.dead ??= failure(reason);
    }
    return this.usable();
  }

  /** Passes while the disk has not failed and the lock is this process's own: asked before a write and before its answer. */
  private usable(): Outcome<void> {
    if (this.dead !== undefined) return this.dead;
    const held = this.lock.check();
    if (!held.ok) this.dead = held;
    return held;
  }

  /** Writes rows in parts and flushes them: all rows or none. Other writes wait until the rows are complete. */
  async put(rows: Iterable<TableWrite>): Promise<Outcome<void>> {
    while (this.chaining !== undefined) await this.chaining;
    const before = this.usable();
    if (!before.ok) return before;
    const work = this.chain(rows);
    this.chaining = work.then(ended, ended);
    return work.finally(() => {
      this.chaining = undefined;
    });
  }

  private async chain(rows: Iterable<TableWrite>): Promise<Outcome<void>> {
    const { current } = this;
    const start = current.file.size();
    const { rows: written, isUndone = true, defect } = await writeRows(current.file, rows, current.sure);
    if (!written.ok) {
      const isHarmless = defect !== undefined || written.refusal.code === 'store_full';
      if (!isUndone || !isHarmless) this.dead = written;
      if (defect !== undefined) throw defect;
      return written;
    }
    const after = this.usable();
    if (!after.ok) return after;
    current.sure = current.file.size();
    this.contents.takeRows(written.value);
    current.usage.note({ tables: written.value, bound: true }, current.sure - start);
    this.renewIfWaste();
    this.witness.see(current.began, current.sure, this.log);
    return pass(undefined);
  }

  /** Appends page by page to the current end of the log. `head_moved` where another writer was faster. */
  async restore(pages: Pages): Promise<Outcome<void>> {
    for (let nth = 0, page = await pages(nth); page !== undefined; page = await pages(++nth)) {
      const { batches, tables } = page;
      const [first] = batches;
      if (first !== undefined && first.seq !== this.log.size)
        return refuse('head_moved', { expected: first.seq, found: this.log.size });
      const written = await this.write([{ tables }, ...batches.map((batch) => ({ batch, tables: [] }))], 'relaxed');
      if (!written.ok) return written;
    }
    return this.write([], 'strict');
  }

  /**
   * The new batch is written and flushed before the old one is overwritten, so that at each moment the file holds at
   * least one of them.
   */
  replace(batches: readonly Batch[]): Promise<Outcome<void>> {
    return this.inTurn(async () => {
      const places = batches.flatMap(({ run_id, run_seq }) => this.contents.places.at(run_id, run_seq) ?? []);
      const entries = batches.map((batch) => ({ batch, tables: [] }));
      const written = await this.write(entries, 'strict');
      if (!written.ok) return written;
      try {
        await wipeAll(this.file, places);
      } catch (reason) {
        this.dead = failure(reason);
      }
      return this.dead ?? pass(undefined);
    });
  }

  /** Rewrites the file with every batch and the last value of every row. */
  tidy(): Promise<Outcome<void>> {
    return this.inTurn(async () => {
      while (this.chaining !== undefined || this.flushes.isBusy) await (this.chaining ?? this.flushes.over());
      return this.dead ?? this.renew();
    });
  }

  private renewIfWaste(): void {
    if (this.current.needsRewrite()) void this.tidy();
  }

  private renew(): Outcome<void> {
    // the owner of the lock alone writes beside the file
    const held = this.lock.check('now');
    if (!held.ok) return held;
    const rows = TABLES.flatMap((table) =>
      [...this.contents.tables[table]].map(([key, value]) => ({ table, key, value })),
    );
    const { file: from } = this;
    let { places } = this.contents;
    let closed = false;
    const [began, usage] = [crypto.randomUUID(), makeFrameUsage()];
    const fill = (file: ByteFile) => void (places = copyInto(file, { from, places, rows, began, usage }));
    const close = (): void => {
      // the new file goes to the place of the file that the owner of the lock writes
      const held = this.lock.check('now');
      if (!held.ok) throw Object.assign(new Error('lock'), { code: 'lock' });
      closed = true;
      from.close();
    };
    try {
      this.current = new LogFile(this.rewrite(fill, close), began, usage);
      this.contents.places = places;
      return pass(undefined);
    } catch (reason) {
      const failed = failure(reason);
      if (closed) this.dead = failed;
      return failed;
    }
  }

  /**
   * Flushes the file and closes it, unless the log `isWanted` again by then. `after` runs at once behind the close. False
   * where the log stays open, or was closed before.
   */
  close(isWanted: () => boolean = () => false, after: () => unknown = ended): Promise<boolean> {
    return this.inTurn(async () => {
      while (this.chaining !== undefined) await this.chaining;
      await this.flushes.over();
      if (this.isClosed) return false;
      if (this.dead === undefined && this.current.marked < this.file.size())
        await this.flushes.next().catch((reason: unknown) => {
          this.dead = failure(reason);
        });
      if (isWanted()) return false;
      this.isClosed = true;
      this.file.close();
      this.witness.close();
      after();
      return true;
    });
  }

  private async flush(): Promise<void> {
    const { current, log, chaining } = this;
    const size = current.file.size();
    await current.file.flush();
    // the witness of another owner stays as it is
    if (!this.usable().ok) return;
    current.sure = size;
    // an unfinished chain of rows may still be undone
    if (chaining === undefined && current === this.current) this.witness.see(current.began, size, log);
    if (this.chaining === undefined) this.current.mark();
  }
}

function ended(): void {}

const cannot: Rewrite = () => {
  throw new Error('A log that is only looked at is not made anew.');
};

/** A journal that was read and compared with its witness. */
interface ReadLog extends ReadJournal {
  readonly contents: LogContents;
  readonly usage: FrameUsage;
  /** Bytes that were on the disk, as the frames of the file say. */
  readonly sure: number;
  /** Name of this file; empty for an empty file. */
  readonly began: string;
}

/** Reads a journal and changes no byte. `store_damaged`, also where the file is shorter than its witness says. */
function readLog(file: Pick<ByteFile, 'size' | 'read'>, seen: FlushedExtent | undefined): Outcome<ReadLog> {
  const [contents, usage] = [new LogContents(), makeFrameUsage()];
  let [sure, began] = [0, ''];
  let root: string | undefined;
  const visit: Visit = (entry, place) => {
    usage.note(entry, place.length);
    sure = Math.max(sure, entry.flushed ?? 0);
    if (place.at === 0) began = entry.began ?? '';
    contents.take(entry, place);
    const log = entry.batch?.after.log;
    if (log !== undefined && log.size === seen?.size) root = hashText(rootOf(log));
  };
  const read = readJournal(file, visit, 'copied');
  if (!read.ok) return read;
  const { end } = read.value;
  // a new file always begins with a whole frame
  if (end === 0 && file.size() > 0) return damaged(0, 'holds nothing that can be read');
  const missing = seen && missingOf(seen, { began, end, size: contents.log.size, root });
  if (missing !== undefined) return damaged(end, missing);
  return pass({ ...read.value, contents, usage, sure, began });
}

interface JournalEnd extends Pick<FlushedExtent, 'began' | 'size'> {
  readonly end: number;
  /** Root of the log at the size that the witness saw. */
  readonly root: string | undefined;
}

/** Names the part that was on the disk and is gone; undefined where the whole part is there. */
function missingOf(seen: FlushedExtent, { began, end, size, root }: JournalEnd): string | undefined {
  if (end === 0) return `is empty, and ledger.witness saw ${seen.bytes} bytes on the disk`;
  if (began === seen.began && end < seen.bytes)
    return `ends at byte ${end}, and ledger.witness saw ${seen.bytes} bytes on the disk`;
  if (size < seen.size) return `has ${size} records, and ledger.witness saw ${seen.size} on the disk`;
  return seen.size > 0 && root !== seen.root ? 'has other records than ledger.witness saw on the disk' : undefined;
}

/** Bytes written between two attempts to rewrite a file, after the first attempt failed. */
const TRIED_EVERY = 8 << 20;

/** The file that a log is written to. Each rewrite of the log gives it another file. */
class LogFile {
  readonly file: ByteFile;
  /** Name of the file. */
  readonly began: string;
  readonly usage: FrameUsage;
  /** Bytes of the file known to be on the disk. */
  sure: number;
  /** Size of the file behind its last mark of the flushed size. */
  marked: number;
  /** Size of the file at the last attempt to rewrite it, so that a failed attempt is not repeated with every write. */
  #tried = 0;

  constructor(
    file: ByteFile,
    began: string = crypto.randomUUID(),
    usage: FrameUsage = makeFrameUsage(),
    sure: number = file.size(),
  ) {
    this.file = file;
    this.began = began;
    this.usage = usage;
    this.sure = sure;
    this.marked = file.size();
  }

  /** True once old values fill the file. Old values of a row that is often written must not stay until the next opening. */
  needsRewrite(): boolean {
    const size = this.file.size();
    if (size < this.#tried + TRIED_EVERY || !needsCompactionInUse(this.usage, size)) return false;
    this.#tried = size;
    return true;
  }

  /** Appends a frame that names the flushed size. A changed byte before that point is then damage, not a torn end. */
  mark(): void {
    try {
      appendFrames(this.file, [{ tables: [], flushed: this.sure }]);
      this.marked = this.file.size();
    } catch {
      // the next write carries the same mark, or meets the failure
    }
  }
}

/** Result of writing rows: the rows as written or the refusal, and whether the file is unchanged after a refusal. */
interface WrittenRows {
  readonly rows: Outcome<readonly TableWrite[]>;
  readonly isUndone?: boolean;
  /** Thrown to the caller: its rows cannot be cloned. */
  readonly defect?: DOMException;
}

/** Writes rows in parts and flushes them: all rows or none. The caller keeps other writers off the file meanwhile. */
async function writeRows(file: ByteFile, given: Iterable<TableWrite>, flushed: number): Promise<WrittenRows> {
  const [chain, rows] = [openChain(file, { flushed }), [] as TableWrite[]];
  try {
    for (const part of inParts(given)) {
      const copies = part.map(({ table, key, value }) => ({ table, key, value: structuredClone(value) }));
      await chain.add(copies);
      rows.push(...copies);
    }
    await chain.end();
    return { rows: pass(rows) };
  } catch (reason) {
    const isUndone = isDone(() => chain.undo());
    return { rows: failure(reason), isUndone, ...(reason instanceof DOMException && { defect: reason }) };
  }
}

function isDone(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Flushes of a file, a single flush at a time. All writes that wait for the disk share the next flush. */
class SharedFlush {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #waiting: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** True while a flush runs or waits. */
  get isBusy(): boolean {
    return this.#isRunning || this.#waiting !== undefined;
  }

  /**
   * Resolves after a flush that begins now or later: a running flush may miss the latest write. After a failed flush
   * each waiting write fails too, because a second flush of lost bytes may succeed.
   */
  next(): Promise<void> {
    this.#waiting ??= this.#running.then(
      () => {
        this.#waiting = undefined;
        this.#isRunning = true;
        this.#running = this.#flush().finally(() => {
          this.#isRunning = false;
        });
        return this.#running;
      },
      (reason: unknown) => {
        this.#waiting = undefined;
        throw reason;
      },
    );
    return this.#waiting;
  }

  /** Resolves after the flush that runs or waits, failed or not. */
  over(): Promise<void> {
    return (this.#waiting ?? this.#running).catch(() => undefined);
  }
}
