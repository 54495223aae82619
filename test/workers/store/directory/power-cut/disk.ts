import type { ByteFile } from '../../../../../workers/store/journal/file.ts';
import { encodeFrame } from '../../../../../workers/store/journal/frame.ts';

// What a disk may hold after the power went: all that was flushed, and of what was written since any sectors, in no order.

const SECTOR = 512;

type Write = { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number };

/** A file over a disk that writes when it likes. `before` is called whenever something is about to reach it. */
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

  /** What another start may find. */
  cut(chance: () => number): Uint8Array {
    // sometimes all of it had come through, sometimes nearly
    const likely = [0.5, 0.9, 1][Math.floor(chance() * 3)] ?? 1;
    let found = this.flushed;
    for (const write of this.pending) {
      if ('size' in write) {
        found = found.slice(0, write.size);
        continue;
      }
      // a file may have grown before what is in it was written
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

/** A file comes into being with its first frame in it, and under its name when that is on the disk. */
export const BEGUN: Uint8Array = encodeFrame({ tables: [], began: 'this file', flushed: 0 });

/** There is no room for a new file: everything has to come out right in the old one. */
export const never = (): never => {
  throw new Error('no room');
};
