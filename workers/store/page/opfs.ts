import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { ByteFile } from '../journal/journal.ts';
import { ORIGIN } from '../origin.ts';
import type { Scratch } from '../scratch.ts';
import { refuseFor } from './database.ts';

/** The parts of the standard that some versions of `lib` lack. */
interface AccessHandle {
  getSize(): number;
  read(into: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
type LockableFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<AccessHandle> };
type Listed = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };

/** A folder of this origin's private files. Each kernel writes a single file in it, and may read all files. */
interface OpfsFolder {
  /**
   * Claims a file that no other kernel writes: an abandoned file, or a new one. Its name is a number, `from` or higher.
   */
  claim(from?: number): Promise<{ readonly name: string; readonly file: ByteFile }>;
  remove(name: string): Promise<void>;
  /** Removes all files except `mine` and the files that other kernels write. */
  removeOthers(mine: string): Promise<void>;
}

/** Undefined where the browser has no private files, or denies them in a private window. */
export async function openRoot(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    const root = await ORIGIN.storage?.getDirectory();
    return root && 'createSyncAccessHandle' in FileSystemFileHandle.prototype ? root : undefined;
  } catch {
    return undefined;
  }
}

export async function namesIn(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of (folder as Listed).values()) names.push(name);
  return names;
}

export function opfsFolder(folder: FileSystemDirectoryHandle): OpfsFolder {
  return {
    async claim(from = 0) {
      for (let n = from; ; n++) {
        const name = `${n}.journal`;
        const handle = (await folder.getFileHandle(name, { create: true })) as LockableFile;
        const access = await accessTo(handle);
        if (access !== undefined) return { name, file: byteFile(access) };
      }
    },
    remove: (name) => folder.removeEntry(name).catch(ignoreHeld),
    async removeOthers(mine) {
      for (const name of await namesIn(folder)) if (name !== mine) await folder.removeEntry(name).catch(ignoreHeld);
    },
  };
}

export function ignoreAbsent(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NotFoundError')) throw reason;
}

function ignoreHeld(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NoModificationAllowedError')) throw reason;
}

/** Undefined where another kernel has the file open. */
async function accessTo(handle: FileSystemFileHandle): Promise<AccessHandle | undefined> {
  try {
    return await (handle as LockableFile).createSyncAccessHandle();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NoModificationAllowedError') return undefined;
    throw error;
  }
}

function byteFile(access: AccessHandle): ByteFile {
  return {
    size: () => access.getSize(),
    read: (into, at) => access.read(into, { at }),
    write: (bytes, at) => {
      const written = access.write(bytes, { at });
      if (written !== bytes.length) throw new DOMException('The disk took half of it.', 'QuotaExceededError');
    },
    truncate: (size) => access.truncate(size),
    flush: async () => access.flush(),
    close: () => access.close(),
  };
}

/** Folder of the private files of an epoch: a file for each kernel, and files of kernels that are gone. */
export interface FileFolder {
  names(): Promise<readonly string[]>;
  /** The file as it is now. A later write to the file can make the blob unreadable. Undefined where it is gone. */
  blob(name: string): Promise<Blob | undefined>;
  /** Opens a file for writing, or makes it. Undefined while another kernel has it open. */
  open(name: string): Promise<ByteFile | undefined>;
  /** A file that is open in another kernel stays. */
  remove(name: string): Promise<void>;
}

export function privateFolder(folder: FileSystemDirectoryHandle): FileFolder {
  return {
    names: () => namesIn(folder),
    async blob(name) {
      try {
        return await (await folder.getFileHandle(name)).getFile();
      } catch (error) {
        if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
        throw error;
      }
    },
    async open(name) {
      const access = await accessTo(await folder.getFileHandle(name, { create: true }));
      return access && byteFile(access);
    },
    remove: async (name) => folder.removeEntry(name).catch(ignoreHeld),
  };
}

/** A name that no file has had, so that an offset in the index never means another file. */
export function newFileName(): string {
  return `${crypto.randomUUID()}.journal`;
}

/**
 * Refusal for an exception in the mirror. The database returns refusals as values, so an exception comes from the
 * mirror.
 */
export function mirrorRefusal(reason: unknown): Outcome<never> {
  const refused = refuseFor(reason);
  if (refused.refusal.code === 'store_full') return refused;
  return refuse('mirror_lost', {
    reason: reason instanceof Error || reason instanceof DOMException ? reason.name : 'unknown',
  });
}

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
