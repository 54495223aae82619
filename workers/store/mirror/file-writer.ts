import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import { pause } from '../../async.ts';
import type { Entry } from '../journal/frame.ts';
import type { FramePlace } from '../journal/journal.ts';
import { type FillClock, type FillQueue, REAL_CLOCK } from './fill-queue.ts';
import type { FileFolder } from './folder.ts';
import { claimFile, makeFile, type OwnFile } from './own-file.ts';
import { mirrorRefusal } from './refusal.ts';
import type { Waiting } from './waiting.ts';

/** Content of an entry, as the index takes it in. */
export type EntryContent = Omit<Waiting, 'file' | 'end' | 'at'>;

/** An entry that is in the file: its place there, and its content on the way to the index. */
export interface Written {
  readonly waiting: Waiting;
  readonly place: FramePlace;
}

/** Writes the private file of this kernel, and queues the content for the index. */
export class FileWriter {
  private readonly folder: FileFolder;
  private readonly queue: FillQueue;
  private mine: OwnFile | undefined;
  private readonly clock: Pick<FillClock, 'now'>;
  private flushing: Promise<void> | undefined;
  /** Runs that wait for the next flush, and the runs that the last flush served. */
  private writers = new Set<string>();
  private served = new Set<string>();
  /** Duration of the last flush, in ms. */
  private flushMs = 0;
  /** Set while the file is exchanged. */
  private exchanging: Promise<unknown> | undefined;

  constructor(folder: FileFolder, queue: FillQueue, clock: Pick<FillClock, 'now'> = REAL_CLOCK) {
    this.folder = folder;
    this.queue = queue;
    this.clock = clock;
  }

  get own(): OwnFile {
    if (this.mine === undefined) throw new DOMException('No file is open.', 'InvalidStateError');
    return this.mine;
  }

  /** Name of the file, once it is claimed. */
  get name(): string | undefined {
    return this.mine?.name;
  }

  /** True unless the file is being exchanged. */
  get isFree(): boolean {
    return this.exchanging === undefined;
  }

  /** Returns when the file is not being exchanged. */
  async free(): Promise<void> {
    while (this.exchanging !== undefined) await this.exchanging;
  }

  async claim(offsets: ReadonlyMap<string, number>): Promise<void> {
    this.mine = await claimFile(this.folder, offsets);
  }

  /** As `writeNow`, repeated in a new file where the handle is dead, and behind an exchange of the file. */
  async write(entry: Entry, content: EntryContent): Promise<Outcome<Written>> {
    await this.free();
    const written = this.writeNow(entry, content);
    return written.ok || this.isAlive() ? written : this.reopened(written, async () => this.writeNow(entry, content));
  }

  /** Writes an entry to the file and queues its content for the index. */
  writeNow(entry: Entry, content: EntryContent): Outcome<Written> {
    const at = Date.now();
    try {
      const place = this.own.write({ ...entry, at });
      const waiting = { ...content, file: this.own.name, end: place.at + place.length, at };
      this.queue.push(waiting, place.length);
      return pass({ waiting, place });
    } catch (reason) {
      return mirrorRefusal(reason);
    }
  }

  isAlive(): boolean {
    try {
      return this.own.file.size() >= 0;
    } catch {
      return false;
    }
  }

  /** Repeats a write in a new file, because a handle may die like a connection. */
  async reopened<T>(refused: Refused, again: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const made = await makeFile(this.folder).catch(() => undefined);
    if (made === undefined) return refused;
    this.mine = made;
    return again();
  }

  /**
   * Returns when this content is on the disk, and in the index unless the flush is enough. The name of a new file may
   * not survive a power cut, so then the index is flushed, too.
   */
  async secure(waiting: Waiting, isFlushEnough: boolean): Promise<Outcome<void>> {
    const { isNew } = this.own;
    const isPlaced = isNew || !isFlushEnough;
    const placing = isPlaced ? this.queue.through(waiting, isNew ? 'strict' : 'relaxed') : pass(undefined);
    try {
      await this.flush(waiting.batch?.run_id);
    } catch (reason) {
      await placing;
      return mirrorRefusal(reason);
    }
    return placing;
  }

  /** A flush serves all content that was written before it begins, by this run and by other runs. */
  flush(run_id?: string): Promise<void> {
    if (run_id !== undefined) this.writers.add(run_id);
    this.flushing ??= this.gatherWriters().then(() => this.flushNow());
    return this.flushing;
  }

  /**
   * A flush blocks this thread, so other tasks come first. The runs that the last flush served write again soon: this
   * flush waits for them as long as the last flush took, so that runs at once share a flush.
   */
  private async gatherWriters(): Promise<void> {
    const end = this.clock.now() + this.flushMs;
    do await pause();
    while ([...this.served].some((run_id) => !this.writers.has(run_id)) && this.clock.now() < end);
  }

  private async flushNow(): Promise<void> {
    this.flushing = undefined;
    [this.served, this.writers] = [this.writers, new Set()];
    const begun = this.clock.now();
    await this.own.flush();
    this.flushMs = this.clock.now() - begun;
  }

  /** Keeps all writers out while `act` exchanges the file. */
  async exchange(act: (old: OwnFile) => Promise<Outcome<OwnFile>>): Promise<Outcome<void>> {
    await this.free();
    const work = async (): Promise<Outcome<void>> => {
      const settled = await this.queue.settle();
      const made = settled.ok ? await act(this.own) : settled;
      if (!made.ok) return made;
      if (made.value !== this.mine) this.mine?.file.close();
      this.mine = made.value;
      return pass(undefined);
    };
    const done = work();
    this.exchanging = done.catch(() => undefined);
    return done.finally(() => {
      this.exchanging = undefined;
    });
  }

  close(): void {
    this.mine?.file.close();
    this.mine = undefined;
  }
}
