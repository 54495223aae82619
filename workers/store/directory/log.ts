import { refuse } from '../../../core/errors.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeSerialQueue, type SerialQueue } from '../../async/serial-queue.ts';
import { type FrameUsage, makeFrameUsage, needsCompaction, needsCompactionInUse } from '../journal/compaction.ts';
import type { ByteFile } from '../journal/file.ts';
import type { Entry } from '../journal/frame.ts';
import { appendFrames, type FramePlace, readEntry, wipeAll } from '../journal/journal.ts';
import { wipeEach } from '../journal/open.ts';
import { type Append, type Batch, type Durability, isThere, nextBatch, type Pages } from '../store.ts';
import { TABLES, type TableWrite } from '../tables.ts';
import type { LogContents } from './contents.ts';
import { copyInto } from './copy.ts';
import { failure } from './failure.ts';
import { type ReadLog, readLog } from './read.ts';
import { writeRows } from './rows.ts';
import { type DirectoryWitness, NO_WITNESS } from './witness.ts';

/** Puts a newly filled file in the place of the old file, which is closed once the new file is whole. */
export type Rewrite = (fill: (file: ByteFile) => void, close: () => void) => ByteFile;

/** Bytes written between two attempts to rewrite a file, after the first attempt failed. */
const TRIED_EVERY = 8 << 20;

/** A log in a single file, with the places of all batches in memory. Its owner holds the lock of the directory. */
export class DirectoryLog {
  readonly contents: LogContents;
  private file: ByteFile;
  private readonly rewrite: Rewrite;
  private readonly witness: DirectoryWitness;
  /** Name of the current file; each rewrite gives it a new name. */
  private began: string;
  private usage: FrameUsage;
  /**
   * Size of the file at the last attempt to rewrite it in use, so that a failed attempt is not repeated with every
   * write.
   */
  private tried = 0;
  /** Bytes of the file known to be on the disk. */
  private sure: number;
  /** Size of the file behind its last mark of the flushed size. */
  private marked: number;
  private flushing: Promise<void> = Promise.resolve();
  /** Queue of `replace`, `tidy` and `close`: a rewritten file has other places for its batches. */
  private readonly inTurn: SerialQueue = makeSerialQueue();
  private waiting: Promise<void> | undefined;
  /** Set while rows are written in parts: a frame between two parts would make an incomplete change count. */
  private chaining: Promise<void> | undefined;
  /** Set when the disk failed: only a new opening can tell the contents of the file. */
  private dead: Outcome<never> | undefined;

  private constructor(
    file: ByteFile,
    rewrite: Rewrite,
    witness: DirectoryWitness,
    { contents, sure, began, usage }: ReadLog,
  ) {
    this.file = file;
    this.rewrite = rewrite;
    this.witness = witness;
    this.contents = contents;
    this.sure = sure;
    this.began = began;
    this.usage = usage;
    this.marked = file.size();
  }

  /**
   * Opens a log. `store_damaged`, with the file unchanged. An empty file is rewritten, so that no file ever holds only
   * half a frame.
   */
  static open(file: ByteFile, rewrite: Rewrite, witness: DirectoryWitness = NO_WITNESS): Outcome<DirectoryLog> {
    const read = readLog(file, witness.seen);
    if (!read.ok) return read;
    const log = new DirectoryLog(file, rewrite, witness, read.value);
    const { end, stale, usage } = read.value;
    if (end < file.size()) file.truncate(end);
    const renewed =
      end === 0 || stale.length > 0 || needsCompaction(usage, file.size()) ? log.renew() : pass(undefined);
    if (end === 0 && !renewed.ok) return renewed;
    // without room for a new file, the old file stays in use
    if (!renewed.ok) wipeEach(file, stale);
    log.marked = log.file.size();
    return pass(log);
  }

  /** Opens a log for reading only. The file stays as it is, even with a torn end. `store_damaged`. */
  static look(file: ByteFile, { seen }: Pick<DirectoryWitness, 'seen'>): Outcome<DirectoryLog> {
    const read = readLog(file, seen);
    return read.ok ? pass(new DirectoryLog(file, cannot, NO_WITNESS, read.value)) : read;
  }

  get log(): Frontier {
    return this.contents.log;
  }

  async append(append: Append, durability: Durability): Promise<Outcome<Batch>> {
    while (this.chaining !== undefined) await this.chaining;
    // no await from here until the frame is written: two appends would get the same place
    const batch = nextBatch(this.log, this.contents.rows.get(append.run_id), append);
    if (!batch.ok) return this.found(append) ?? batch;
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
    if (this.dead !== undefined) return this.dead;
    // A value that cannot be cloned cannot be stored. It throws here, before any byte is written.
    const flushed = this.sure;
    const copies = entries.map((entry) => ({ ...entry, tables: structuredClone(entry.tables), flushed }));
    try {
      let end = this.file.size();
      const places = appendFrames(this.file, copies);
      for (const [nth, entry] of copies.entries()) {
        const place = places[nth] as FramePlace;
        this.contents.take(entry, place);
        // the frame with the rows stands before the frame with the batch
        this.usage.note({ tables: entry.tables, bound: true }, place.at - end);
        this.usage.note({ ...entry, tables: [] }, place.length);
        end = place.at + place.length;
      }
      this.renewIfWaste();
    } catch (reason) {
      const failed = failure(reason);
      // After a full disk the file was cut back to its old size. After any other failure its contents are unknown.
      if (!failed.ok && failed.refusal.code !== 'store_full') this.dead = failed;
      return failed;
    }
    if (durability === 'relaxed') return pass(undefined);
    try {
      await this.flushed();
    } catch (reason) {
      this.dead = failure(reason);
    }
    return this.dead ?? pass(undefined);
  }

  /** Writes rows in parts and flushes them: all rows or none. Other writes wait until the rows are complete. */
  async put(rows: Iterable<TableWrite>): Promise<Outcome<void>> {
    while (this.chaining !== undefined) await this.chaining;
    if (this.dead !== undefined) return this.dead;
    const work = this.chain(rows);
    this.chaining = work.then(ended, ended);
    return work.finally(() => {
      this.chaining = undefined;
    });
  }

  private async chain(rows: Iterable<TableWrite>): Promise<Outcome<void>> {
    const start = this.file.size();
    const { rows: written, isUndone = true, defect } = await writeRows(this.file, rows, this.sure);
    if (!written.ok) {
      const isHarmless = defect !== undefined || written.refusal.code === 'store_full';
      if (!isUndone || !isHarmless) this.dead = written;
      if (defect !== undefined) throw defect;
      return written;
    }
    this.sure = this.file.size();
    this.contents.takeRows(written.value);
    this.usage.note({ tables: written.value, bound: true }, this.sure - start);
    this.renewIfWaste();
    this.witness.see(this.began, this.sure, this.log);
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

  /** The batches of all runs from this place in the log on, at most `most`. */
  *ofLog(from: number, most: number): Generator<Batch> {
    for (const place of this.contents.places.inOrder(from).slice(0, most)) yield this.batchAt(place);
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
      let flushing: Promise<void> | undefined;
      while (this.chaining !== undefined || this.waiting !== undefined || flushing !== this.flushing) {
        flushing = this.flushing;
        await Promise.all([this.chaining, flushing.catch(() => undefined)]);
      }
      return this.dead ?? this.renew();
    });
  }

  /**
   * Rewrites the file in use once old values fill it. A call that waits often writes its row again each time, and old
   * values must not stay until the next opening.
   */
  private renewIfWaste(): void {
    const size = this.file.size();
    if (size < this.tried + TRIED_EVERY || !needsCompactionInUse(this.usage, size)) return;
    this.tried = size;
    void this.tidy();
  }

  private renew(): Outcome<void> {
    const rows = TABLES.flatMap((table) =>
      [...this.contents.tables[table]].map(([key, value]) => ({ table, key, value })),
    );
    let { places } = this.contents;
    let closed = false;
    const [began, usage] = [crypto.randomUUID(), makeFrameUsage()];
    const fill = (file: ByteFile) => void (places = copyInto(file, { from: this.file, places, rows, began, usage }));
    const close = (): void => {
      closed = true;
      this.file.close();
    };
    try {
      this.file = this.rewrite(fill, close);
      this.contents.places = places;
      this.began = began;
      this.usage = usage;
      this.tried = 0;
      this.sure = this.file.size();
      this.marked = this.sure;
      return pass(undefined);
    } catch (reason) {
      const failed = failure(reason);
      if (closed) this.dead = failed;
      return failed;
    }
  }

  /** The batches of a run from the batch with record `from` on, at most `most`. */
  *batches(run_id: string, from = 0, most: number = Number.POSITIVE_INFINITY): Generator<Batch> {
    const places = this.contents.places.of(run_id).filter(({ to }) => to > from);
    for (const place of places.slice(0, most)) yield this.batchAt(place);
  }

  /** The batches of a run, backwards from the batch of record `upTo`. */
  *backwards(run_id: string, upTo: number = Number.POSITIVE_INFINITY): Generator<Batch> {
    const places = this.contents.places.of(run_id).filter(({ from }) => from <= upTo);
    for (const place of places.toReversed()) yield this.batchAt(place);
  }

  close(): Promise<void> {
    return this.inTurn(async () => {
      while (this.chaining !== undefined) await this.chaining;
      await (this.waiting ?? this.flushing).catch(() => undefined);
      if (this.dead === undefined && this.marked < this.file.size()) await this.flush().catch(() => undefined);
      this.file.close();
      this.witness.close();
    });
  }

  private batchAt(place: FramePlace): Batch {
    const { batch } = readEntry(this.file, place);
    if (batch === undefined) throw new Error(`There is no batch at ${place.at}.`);
    return batch;
  }

  /** The batch of an append that is repeated after a lost answer. */
  private found(append: Append): Outcome<Batch> | undefined {
    const place = this.contents.places.at(append.run_id, append.expected.records);
    const batch = place && this.batchAt(place);
    return batch !== undefined && isThere(batch, append) ? pass(batch) : undefined;
  }

  /** A running flush may miss the latest write, so this waits for a flush that begins now. */
  private flushed(): Promise<void> {
    this.waiting ??= this.flushing.then(() => {
      this.waiting = undefined;
      this.flushing = this.flush();
      return this.flushing;
    });
    return this.waiting;
  }

  private async flush(): Promise<void> {
    const [size, { began, log, chaining }] = [this.file.size(), this];
    await this.file.flush();
    this.sure = size;
    // an unfinished chain of rows may still be undone
    if (chaining === undefined && began === this.began) this.witness.see(began, size, log);
    this.mark();
  }

  /** Appends a frame that names the flushed size. A changed byte before that point is then damage, not a torn end. */
  private mark(): void {
    if (this.chaining !== undefined) return;
    try {
      appendFrames(this.file, [{ tables: [], flushed: this.sure }]);
      this.marked = this.file.size();
    } catch {
      // the next write carries the same mark, or meets the failure
    }
  }
}

function ended(): void {}

const cannot: Rewrite = () => {
  throw new Error('A log that is only looked at is not made anew.');
};
