import { refuse } from '../../../core/errors.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeSerialQueue, type SerialQueue } from '../../async/serial-queue.ts';
import type { ByteFile } from '../journal/file.ts';
import type { Entry } from '../journal/frame.ts';
import { appendFrames, readEntry, wipeAll } from '../journal/journal.ts';
import { type Place, wipeEach } from '../journal/open.ts';
import { isDue, isWaste, makeRoom, type Room } from '../journal/room.ts';
import { type Append, type Batch, type Durability, isThere, nextBatch, type Pages } from '../store.ts';
import { TABLES, type TableWrite } from '../tables.ts';
import type { LogContents } from './contents.ts';
import { copyInto } from './copy.ts';
import { failure } from './failure.ts';
import { type ReadLog, readLog } from './read.ts';
import { writeRows } from './rows.ts';
import { NO_WITNESS, type Witness } from './witness.ts';

/** Puts a file that was filled anew in the place of the one that is closed when the other is whole. */
export type Rewrite = (fill: (file: ByteFile) => void, close: () => void) => ByteFile;

/** Bytes that are written between two tries to make a file anew, where the first one failed. */
const TRIED_EVERY = 8 << 20;

/** One log in one file, with all its places in memory. Its owner has the directory's lock. */
export class DirectoryLog {
  readonly contents: LogContents;
  private file: ByteFile;
  private readonly rewrite: Rewrite;
  private readonly witness: Witness;
  /** The name of the file as it is now: one that is made anew has another. */
  private began: string;
  private room: Room;
  /** So long the file was when it was last to be made anew meanwhile: where that fails, it is not tried with every write. */
  private tried = 0;
  /** So much of the file is on the disk, as far as is known. */
  private sure: number;
  /** So long the file was when that was last said in it. */
  private marked: number;
  private flushing: Promise<void> = Promise.resolve();
  /** Of those who overwrite places of the file and who put another in its place, where others stand at these places. */
  private readonly inTurn: SerialQueue = makeSerialQueue();
  private waiting: Promise<void> | undefined;
  /** While rows are written part by part: what stood between two of them would count without the rest. */
  private chaining: Promise<void> | undefined;
  /** Set when the disk failed: what it holds is known again only to whoever opens it anew. */
  private dead: Outcome<never> | undefined;

  private constructor(file: ByteFile, rewrite: Rewrite, witness: Witness, { contents, sure, began, room }: ReadLog) {
    this.file = file;
    this.rewrite = rewrite;
    this.witness = witness;
    this.contents = contents;
    this.sure = sure;
    this.began = began;
    this.room = room;
    this.marked = file.size();
  }

  /** `store_damaged`, with nothing changed. A file of nothing is made anew, so that none ever holds half of a frame alone. */
  static open(file: ByteFile, rewrite: Rewrite, witness: Witness = NO_WITNESS): Outcome<DirectoryLog> {
    const read = readLog(file, witness.seen);
    if (!read.ok) return read;
    const log = new DirectoryLog(file, rewrite, witness, read.value);
    const { end, stale, room } = read.value;
    if (end < file.size()) file.truncate(end);
    const renewed = end === 0 || stale.length > 0 || isDue(room, file.size()) ? log.renew() : pass(undefined);
    if (end === 0 && !renewed.ok) return renewed;
    // where there is no room for a new file the old one serves as well
    if (!renewed.ok) wipeEach(file, stale);
    log.marked = log.file.size();
    return pass(log);
  }

  /** To be read only, from a file that cannot be written: it stays as it is, with a torn end and all. `store_damaged`. */
  static look(file: ByteFile, { seen }: Pick<Witness, 'seen'>): Outcome<DirectoryLog> {
    const read = readLog(file, seen);
    return read.ok ? pass(new DirectoryLog(file, cannot, NO_WITNESS, read.value)) : read;
  }

  get log(): Frontier {
    return this.contents.log;
  }

  async append(append: Append, durability: Durability): Promise<Outcome<Batch>> {
    while (this.chaining !== undefined) await this.chaining;
    // from here to its frame nothing is waited for: two would have the same place
    const batch = nextBatch(this.log, this.contents.rows.get(append.run_id), append);
    if (!batch.ok) return this.found(append) ?? batch;
    const { tables = [] } = append;
    const written = await this.writeNow([{ batch: batch.value, tables }], durability);
    return written.ok ? batch : written;
  }

  /** Written at once, flushed together with whatever else waits for the disk. */
  async write(entries: readonly Entry[], durability: Durability): Promise<Outcome<void>> {
    while (this.chaining !== undefined) await this.chaining;
    return this.writeNow(entries, durability);
  }

  private async writeNow(entries: readonly Entry[], durability: Durability): Promise<Outcome<void>> {
    if (this.dead !== undefined) return this.dead;
    // What cannot be copied cannot be stored, and throws before anything is written.
    const flushed = this.sure;
    const copies = entries.map((entry) => ({ ...entry, tables: structuredClone(entry.tables), flushed }));
    try {
      let end = this.file.size();
      const places = appendFrames(this.file, copies);
      for (const [nth, entry] of copies.entries()) {
        const place = places[nth] as Place;
        this.contents.take(entry, place);
        // its rows stand before it
        this.room.note({ tables: entry.tables, bound: true }, place.at - end);
        this.room.note({ ...entry, tables: [] }, place.length);
        end = place.at + place.length;
      }
      this.renewIfWaste();
    } catch (reason) {
      const failed = failure(reason);
      // A full disk was cut back to where it was; whatever else failed, nobody knows what the file holds now.
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

  /** Rows alone, part by part and flushed: all of them or none. What else is written waits until they are. */
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
    this.room.note({ tables: written.value, bound: true }, this.sure - start);
    this.renewIfWaste();
    this.witness.see(this.began, this.sure, this.log);
    return pass(undefined);
  }

  /** Page by page, each on the end of the log as it is: nothing of anybody else's is overtaken. */
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

  /** All batches from this place in the log on, at most so many. */
  *ofLog(from: number, most: number): Generator<Batch> {
    for (const place of this.contents.places.inOrder(from).slice(0, most)) yield this.batchAt(place);
  }

  /** Written and flushed before what stood there is overwritten: at no moment is there neither. */
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

  /** Makes the file anew: every batch as it stands, and the last value of every row. */
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

  /** A call that waits again and again is written anew each time: what it was before is not kept until the next opening. */
  private renewIfWaste(): void {
    const size = this.file.size();
    if (size < this.tried + TRIED_EVERY || !isWaste(this.room, size)) return;
    this.tried = size;
    void this.tidy();
  }

  private renew(): Outcome<void> {
    const rows = TABLES.flatMap((table) =>
      [...this.contents.tables[table]].map(([key, value]) => ({ table, key, value })),
    );
    let { places } = this.contents;
    let closed = false;
    const [began, room] = [crypto.randomUUID(), makeRoom()];
    const fill = (file: ByteFile) => void (places = copyInto(file, { from: this.file, places, rows, began, room }));
    const close = (): void => {
      closed = true;
      this.file.close();
    };
    try {
      this.file = this.rewrite(fill, close);
      this.contents.places = places;
      this.began = began;
      this.room = room;
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

  /** The batches of a run from the one that holds record `from`, at most so many. */
  *batches(run_id: string, from = 0, most: number = Number.POSITIVE_INFINITY): Generator<Batch> {
    const places = this.contents.places.of(run_id).filter(({ to }) => to > from);
    for (const place of places.slice(0, most)) yield this.batchAt(place);
  }

  /** From the batch of record `upTo` backwards. */
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

  private batchAt(place: Place): Batch {
    const { batch } = readEntry(this.file, place);
    if (batch === undefined) throw new Error(`There is no batch at ${place.at}.`);
    return batch;
  }

  /** An append whose answer was lost, and which is asked for again. */
  private found(append: Append): Outcome<Batch> | undefined {
    const place = this.contents.places.at(append.run_id, append.expected.records);
    const batch = place && this.batchAt(place);
    return batch !== undefined && isThere(batch, append) ? pass(batch) : undefined;
  }

  /** A flush that has begun may not have seen what was just written: one that begins now has. */
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
    // rows that are written part by part may be taken back
    if (chaining === undefined && began === this.began) this.witness.see(began, size, log);
    this.mark();
  }

  /** Says behind what was flushed that it was: where a byte of it is another later, that is damage and no torn end. */
  private mark(): void {
    if (this.chaining !== undefined) return;
    try {
      appendFrames(this.file, [{ tables: [], flushed: this.sure }]);
      this.marked = this.file.size();
    } catch {
      // what is written next says it, too, or finds out what is wrong
    }
  }
}

function ended(): void {}

const cannot: Rewrite = () => {
  throw new Error('A log that is only looked at is not made anew.');
};
