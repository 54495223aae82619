import { type FrameUsage, makeFrameUsage, needsCompactionInUse } from '../journal/compaction.ts';
import type { ByteFile } from '../journal/file.ts';
import { appendFrames } from '../journal/journal.ts';

/** Bytes written between two attempts to rewrite a file, after the first attempt failed. */
const TRIED_EVERY = 8 << 20;

/** The file that a log is written to. Each rewrite of the log gives it another file. */
export class LogFile {
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
