import { bytesAsFile } from '../journal/bytes.ts';
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
  /** Opens the files that no kernel has open. */
  idle(): Promise<readonly ByteFile[]>;
  /** Bytes of all files as they are now, including files that other kernels write. */
  all(): Promise<readonly Uint8Array[]>;
  /** Shows all files but `mine`. Files that other kernels write are shown as copies in memory. */
  visit(mine: string, look: (file: Pick<ByteFile, 'size' | 'read'>) => void): Promise<void>;
  /** The lowest number above all file names. */
  next(): Promise<number>;
  /** True if any file is not empty. */
  isUsed(): Promise<boolean>;
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
    async idle() {
      const files: ByteFile[] = [];
      for (const name of await namesIn(folder)) {
        const access = await accessTo((await folder.getFileHandle(name)) as LockableFile);
        if (access !== undefined) files.push(byteFile(access));
      }
      return files;
    },
    all: async () => Promise.all((await namesIn(folder)).map((name) => bytesOf(folder, name))),
    async visit(mine, look) {
      for (const name of await namesIn(folder)) {
        if (name === mine) continue;
        const access = await accessTo((await folder.getFileHandle(name)) as LockableFile);
        look(access === undefined ? bytesAsFile(await bytesOf(folder, name)) : byteFile(access));
        access?.close();
      }
    },
    next: async () => Math.max(0, ...(await namesIn(folder)).map((name) => Number.parseInt(name, 10) + 1)),
    async isUsed() {
      for (const name of await namesIn(folder))
        if ((await (await folder.getFileHandle(name)).getFile()).size > 0) return true;
      return false;
    },
    remove: (name) => folder.removeEntry(name).catch(ignoreHeld),
    async removeOthers(mine) {
      for (const name of await namesIn(folder)) if (name !== mine) await folder.removeEntry(name).catch(ignoreHeld);
    },
  };
}

function ignoreHeld(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NoModificationAllowedError')) throw reason;
}

/** Undefined where another kernel has the file open. */
async function accessTo(handle: LockableFile): Promise<AccessHandle | undefined> {
  try {
    return await handle.createSyncAccessHandle();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NoModificationAllowedError') return undefined;
    throw error;
  }
}

/** Bytes read at a time: a short read is rarely disturbed by a write. */
const PART = 1 << 20;
/** Milliseconds between attempts, in order: a busy writer leaves room between two writes. */
const PAUSES: readonly number[] = [0, 0, 0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128];

/** Reads a file that another kernel may be writing: it only grows behind the bytes read. */
async function bytesOf(folder: FileSystemDirectoryHandle, name: string): Promise<Uint8Array> {
  const handle = await folder.getFileHandle(name);
  const bytes = new Uint8Array((await handle.getFile()).size);
  for (let at = 0; at < bytes.length; at += PART) bytes.set(await partOf(handle, at, bytes.length), at);
  return bytes;
}

/**
 * Reads a part of a file, with retries. Chromium reads a file as it was at `getFile()`, and throws if it was written
 * since, so each attempt calls `getFile()` again.
 */
async function partOf(handle: FileSystemFileHandle, at: number, size: number): Promise<Uint8Array> {
  for (let tries = 0; ; tries++) {
    try {
      const part = (await handle.getFile()).slice(at, Math.min(at + PART, size));
      return new Uint8Array(await part.arrayBuffer());
    } catch (error) {
      const pause = PAUSES[tries];
      if (!(error instanceof DOMException && error.name === 'NotReadableError') || pause === undefined) throw error;
      await new Promise((next) => setTimeout(next, pause));
    }
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
