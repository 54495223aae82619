import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../../../core/errors.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { ByteFile } from '../journal/journal.ts';

/** The path names a link, a folder, a pipe or a device. An attacker may have put it there to redirect our writes. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile';
}

/** Open flags: follow no link, and do not wait for the other end of a pipe. Windows has neither flag. */
const PLAINLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that only its owner may read, and makes it if absent; its name is flushed to the disk, too. With `there`
 * an absent file is not made: undefined. Throws `NotAFile`.
 */
export function openFile(path: string): ByteFile;
export function openFile(path: string, how: 'there'): ByteFile | undefined;
export function openFile(path: string, how: 'made' | 'there' = 'made'): ByteFile | undefined {
  const fd = openPlain(path, constants.O_RDWR | (how === 'made' ? constants.O_CREAT : 0));
  if (fd !== undefined) syncFolder(dirname(path));
  return fd === undefined ? undefined : fileOf(fd);
}

/** Replaces a file that may exist. A second name (hard link) of the old file keeps its bytes. */
export function makeFile(path: string): ByteFile {
  rmSync(path, { force: true });
  return openFile(path);
}

/** Opens a file for reading only; undefined where it does not exist. Throws `NotAFile`. */
export function openToRead(path: string): ByteFile | undefined {
  const fd = openPlain(path, constants.O_RDONLY);
  return fd === undefined ? undefined : fileOf(fd);
}

/** The first bytes of a file as text, and the time of its last change by the clock of its file system. */
export interface FileStart {
  readonly text: string;
  readonly changedMs: number;
}

/** Reads the start of a file; undefined where it does not exist. Throws `NotAFile`. */
export function readStart(path: string, bytes: number): FileStart | undefined {
  const fd = openPlain(path, constants.O_RDONLY);
  if (fd === undefined) return undefined;
  try {
    const into = new Uint8Array(bytes);
    const read = readSync(fd, into, 0, bytes, 0);
    return { text: decodeUtf8(into.subarray(0, read)) ?? '', changedMs: fstatSync(fd).mtimeMs };
  } finally {
    closeSync(fd);
  }
}

/**
 * Windows follows links, so the path is checked before it is opened there. A fast attacker can still change it in
 * between.
 */
function openPlain(path: string, flags: number): number | undefined {
  let fd: number;
  try {
    if (constants.O_NOFOLLOW === undefined && !lstatSync(path).isFile()) throw new NotAFile();
  } catch (reason) {
    if (!isCode(reason, 'ENOENT')) throw reason;
  }
  try {
    fd = openSync(path, flags | PLAINLY, 0o600);
  } catch (reason) {
    if (isCode(reason, 'ENOENT') && (flags & constants.O_CREAT) === 0) return undefined;
    if (['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO'].some((code) => isCode(reason, code))) throw new NotAFile();
    throw reason;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new NotAFile();
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

/**
 * Replaces a file atomically: a process stopped midway leaves the old file whole. `close` is called only after the new
 * file is on the disk; an exception before that call has changed no file.
 */
export function replaceFile(path: string, fill: (file: ByteFile) => void, close: () => void): ByteFile {
  const aside = `${path}.new`;
  rmSync(aside, { force: true });
  const fd = openSync(aside, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    fill(fileOf(fd));
    fsyncSync(fd);
  } catch (reason) {
    rmSync(aside, { force: true });
    throw reason;
  } finally {
    closeSync(fd);
  }
  close();
  renameSync(aside, path);
  return openFile(path);
}

/** Guards a file descriptor after `close`: the system reuses its number for the next opened file. */
function fileOf(number: number): ByteFile {
  const flush = promisify(fdatasync);
  let isOpen = true;
  const fd = (): number => {
    if (isOpen) return number;
    throw Object.assign(new Error('The file is closed.'), { code: 'EBADF' });
  };
  return {
    size: () => fstatSync(fd()).size,
    read: (into, at) => moved(into, (from) => readSync(fd(), into, from, into.length - from, at + from)),
    write: (bytes, at) => {
      moved(bytes, (from) => writeSync(fd(), bytes, from, bytes.length - from, at + from));
    },
    truncate: (size) => ftruncateSync(fd(), size),
    flush: async () => flush(fd()),
    close: () => {
      if (isOpen) closeSync(number);
      isOpen = false;
    },
  };
}

/** Repeats a system call that may move fewer bytes than asked. 0 bytes mean the end of the file. */
function moved(bytes: Uint8Array, some: (from: number) => number): number {
  let from = 0;
  while (from < bytes.length) {
    const more = some(from);
    if (more === 0) return from;
    from += more;
  }
  return from;
}

export function syncFolder(path: string): void {
  // Windows opens no folders, and flushes names by itself.
  if (process.platform === 'win32') return;
  const fd = openSync(path, constants.O_RDONLY);
  fsyncSync(fd);
  closeSync(fd);
}

/** Refusal for a failed disk operation: `store_full`, or `store_lost` where the contents of the disk are unknown. */
export function failure(reason: unknown): Outcome<never> {
  const code = reason instanceof Error ? ((reason as NodeJS.ErrnoException).code ?? reason.name) : 'unknown';
  return code === 'ENOSPC' || code === 'EDQUOT' ? refuse('store_full', {}) : refuse('store_lost', { reason: code });
}
