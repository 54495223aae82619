import type { ByteFile } from '../journal/file.ts';
import type { Scratch } from '../scratch.ts';
import { openRoot, opfsFolder } from './opfs.ts';

/** Bytes read at a time: the bytes of a single `keep` are read back piece by piece. */
const WINDOW = 1 << 19;

/** A temporary file for waiting bytes; undefined where the browser gives none. */
export async function openScratch(name: string): Promise<Scratch | undefined> {
  try {
    const folder = await folderOf(name, { create: true });
    const claimed = await folder?.claim();
    if (folder === undefined || claimed === undefined) return undefined;
    // clears a file that a crash has left
    claimed.file.truncate(0);
    return scratchIn(claimed.file, () => folder.remove(claimed.name));
  } catch {
    return undefined;
  }
}

/** Removes the files that a crash has left, and no file in use. */
export async function sweepScratch(name: string): Promise<void> {
  const folder = await folderOf(name, {}).catch(() => undefined);
  await folder?.removeOthers('').catch(() => undefined);
}

export async function removeScratch(name: string): Promise<void> {
  const root = await openRoot();
  await root?.removeEntry(scratchName(name), { recursive: true }).catch(() => undefined);
}

async function folderOf(name: string, options: FileSystemGetDirectoryOptions) {
  const root = await openRoot();
  return root && opfsFolder(await root.getDirectoryHandle(scratchName(name), options));
}

function scratchName(name: string): string {
  return `${name}.scratch`;
}

function scratchIn(file: ByteFile, remove: () => Promise<void>): Scratch {
  let size = 0;
  let space = new Uint8Array(WINDOW);
  let [start, end] = [0, 0];
  const read = (from: number, to: number): Uint8Array => {
    if (from < start || to > end) {
      if (space.length < to - from) space = new Uint8Array(to - from);
      start = from;
      end = from + file.read(space.subarray(0, Math.min(space.length, size - from)), from);
      if (end < to) throw new Error('What was put aside is gone.');
    }
    return space.slice(from - start, to - start);
  };
  return {
    keep(bytes) {
      const at = size;
      try {
        file.write(bytes, at);
      } catch {
        return undefined;
      }
      size += bytes.length;
      return (from, to) => read(at + from, at + to);
    },
    async close() {
      file.close();
      // a file that cannot be removed now goes at the next opening of the store
      await remove().catch(() => undefined);
    },
  };
}
