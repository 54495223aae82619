import { encodeFrame } from '../../../../../workers/store/journal/frame.ts';
import type { ByteFile } from '../../../../../workers/store/journal/journal.ts';

// After a power cut a disk holds all flushed bytes, and any sectors of later writes, in any order.

const SECTOR = 512;

type Write = { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number };

/** File over a disk that may delay its writes. `before` is called ahead of each write, truncation and flush. */
export class Disk implements ByteFile {
  bytes: Uint8Array = new Uint8Array();
  flushed: Uint8Array = new Uint8Array();
  pending: Write[] = [];
  readonly before: () => void;

  constructor(before: () => void = () => undefined, bytes: Uint8Array = new Uint8Array()) {
    this.before = before;
    this.bytes = bytes;
    this.flushed = bytes;
  }

  size(): number {
    return this.bytes.length;
  }
  read(into: Uint8Array, at: number): number {
    const part = this.bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }
  write(bytes: Uint8Array, at: number): void {
    this.before();
    this.pending.push({ at, bytes: bytes.slice() });
    this.bytes = written(this.bytes, at, bytes);
  }
  truncate(size: number): void {
    this.before();
    this.pending.push({ size });
    this.bytes = this.bytes.slice(0, size);
  }
  async flush(): Promise<void> {
    const [bytes, count] = [this.bytes, this.pending.length];
    this.before();
    await Promise.resolve();
    this.before();
    this.flushed = bytes;
    this.pending = this.pending.slice(count);
  }
  close(): void {}

  /** Contents that the next start may find. */
  cut(chance: () => number): Uint8Array {
    // Chance of a sector to have reached the disk.
    const likely = [0.5, 0.9, 1][Math.floor(chance() * 3)] ?? 1;
    let found = this.flushed;
    for (const write of this.pending) {
      if ('size' in write) {
        found = found.slice(0, write.size);
        continue;
      }
      // A file may have grown before its new bytes were written.
      if (chance() < 0.5) found = written(found, write.at + write.bytes.length, new Uint8Array());
      for (let from = write.at; from < write.at + write.bytes.length; ) {
        const to = Math.min((Math.floor(from / SECTOR) + 1) * SECTOR, write.at + write.bytes.length);
        if (chance() < likely) found = written(found, from, write.bytes.subarray(from - write.at, to - write.at));
        from = to;
      }
    }
    return found;
  }
}

function written(file: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const grown = new Uint8Array(Math.max(file.length, at + bytes.length));
  grown.set(file);
  grown.set(bytes, at);
  return grown;
}

/** First frame of a new file. The file gets its name when this frame is on the disk. */
export const BEGUN: Uint8Array = encodeFrame({ tables: [], began: 'this file', flushed: 0 });

/** Rewrite that fails for want of room, so that the old file must stay sound. */
export const never = (): never => {
  throw new Error('no room');
};
