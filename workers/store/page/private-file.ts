import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import { pause } from '../../async.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { appendFrames, type ByteFile, type FramePlace, frames, isDamageAt } from '../journal/journal.ts';
import { type FillClock, type FillQueue, REAL_CLOCK } from './fill-queue.ts';
import { type FileFolder, mirrorRefusal, newFileName } from './opfs.ts';
import type { Unplaced } from './places.ts';

/** Content that is in the file of this kernel, on its way to the index. */
interface Written extends Unplaced {
  readonly frame: FramePlace;
}

/** Content before it is written. */
type NewContent = Omit<Unplaced, 'file' | 'end' | 'at'>;

/**
 * The private file that this kernel writes. Written content waits for its place in the log in the queue of the index;
 * `secure` returns when the content survives.
 */
export class PrivateFile {
  private readonly folder: FileFolder;
  private readonly queue: FillQueue;
  private mine: JournalFile | undefined;
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

  get own(): JournalFile {
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
  async write(content: NewContent, entry?: Entry): Promise<Outcome<Written>> {
    await this.free();
    const written = this.writeNow(content, entry);
    return written.ok || this.isAlive() ? written : this.reopened(written, async () => this.writeNow(content, entry));
  }

  /** Writes content to the file, as `entry` where its frame says more, and queues it for the index. */
  writeNow(content: NewContent, entry: Entry = entryOf(content)): Outcome<Written> {
    const at = Date.now();
    try {
      const frame = this.own.write({ ...entry, at });
      const written = { ...content, file: this.own.name, end: frame.at + frame.length, at, frame };
      this.queue.push(written, frame.length);
      return pass(written);
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
  async secure(written: Unplaced, isFlushEnough: boolean): Promise<Outcome<void>> {
    const { isNew } = this.own;
    const isPlaced = isNew || !isFlushEnough;
    const placing = isPlaced ? this.queue.through(written, isNew ? 'strict' : 'relaxed') : pass(undefined);
    try {
      await this.flush(written.batch?.run_id);
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
  async exchange(act: (old: JournalFile) => Promise<Outcome<JournalFile>>): Promise<Outcome<void>> {
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

/** The frame of content without a place. */
function entryOf({ batch, tables }: NewContent): Entry {
  return { ...(batch && { pending: batch }), tables };
}

/** A private file that is open for writing. */
export interface JournalFile {
  readonly name: string;
  /** Made less than a minute ago, by this kernel or by a kernel that died: a power cut may take the file with its name. */
  readonly isNew: boolean;
  /** Appends an entry, and returns the place of its last frame. Throws what the platform throws; then none is written. */
  write(entry: Entry): FramePlace;
  /** Returns when all written entries are on the disk. */
  flush(): Promise<void>;
  readonly file: ByteFile;
}

/** Claims a file that no kernel writes, without its torn end, or makes a file. The index has it up to its offset. */
async function claimFile(folder: FileFolder, offsets: ReadonlyMap<string, number>): Promise<JournalFile> {
  for (const name of await folder.names()) {
    const file = await folder.open(name);
    if (file === undefined) continue;
    if (isCut(file, offsets.get(name) ?? 0)) return journalFile(name, file, ageOf(file));
    file.close();
  }
  return makeFile(folder);
}

export async function makeFile(folder: FileFolder): Promise<JournalFile> {
  const name = newFileName();
  const file = await folder.open(name);
  if (file === undefined) throw new DOMException('A new file is open.', 'InvalidStateError');
  return journalFile(name, file, 0);
}

/**
 * Cuts a torn end off. False for a file that stays as it is: it goes on behind the torn frame; or a power cut has left
 * it shorter than its offset, and new content before the offset would never be read; or the index has left content of
 * it out, which the offset of new content would pass over.
 */
function isCut(file: ByteFile, from: number): boolean {
  if (file.size() < from) return false;
  const rest = { size: () => file.size() - from, read: (into: Uint8Array, at: number) => file.read(into, from + at) };
  const found = frames(rest);
  let next = found.next();
  while (next.done !== true) next = found.next();
  const end = from + next.value;
  if (end < file.size() && isDamageAt(file, end)) return false;
  if (end < file.size()) file.truncate(end);
  return end === from;
}

/** Time in which a system writes the name of a new file to the disk by itself, with room. */
const YOUNG_MS = 60_000;

/** Time since the first frame of a file was written, in ms. */
function ageOf(file: ByteFile): number {
  const first = frames(file).next();
  if (first.done === true) return 0;
  const { header, body } = first.value;
  const { at = 0 } = hasContents(header.state) ? decodeBody(body, header.state, 'viewed') : {};
  return Date.now() - at;
}

function journalFile(name: string, file: ByteFile, ageMs: number): JournalFile {
  const born = performance.now() - ageMs;
  /** Bytes known to be on the disk. */
  let flushed = 0;
  return {
    name,
    get isNew() {
      return performance.now() - born < YOUNG_MS;
    },
    file,
    write: (entry) => appendFrames(file, [{ ...entry, flushed }])[0] as FramePlace,
    async flush() {
      const size = file.size();
      await file.flush();
      flushed = size;
    },
  };
}
