import type { ByteFile } from '../journal/file.ts';
import { ORIGIN } from '../origin.ts';

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
export interface OpfsFolder {
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

export function ignoreHeld(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NoModificationAllowedError')) throw reason;
}

/** Undefined where another kernel has the file open. */
export async function accessTo(handle: FileSystemFileHandle): Promise<AccessHandle | undefined> {
  try {
    return await (handle as LockableFile).createSyncAccessHandle();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NoModificationAllowedError') return undefined;
    throw error;
  }
}

export function byteFile(access: AccessHandle): ByteFile {
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
