import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { ByteFile } from '../journal/file.ts';

/** Opens a file that only its owner may read, and makes it if it is not there: its name is on the disk, too. */
export function openFile(path: string): ByteFile {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  syncFolder(dirname(path));
  return fileOf(fd);
}

/**
 * Puts a new file in the place of one. Whoever is stopped on the way leaves the old one, whole; `close` is called when
 * the new one is on the disk and not before, and what throws before that has changed nothing.
 */
export function replaceFile(path: string, fill: (file: ByteFile) => void, close: () => void): ByteFile {
  const aside = `${path}.new`;
  rmSync(aside, { force: true });
  const fd = openSync(aside, constants.O_RDWR | constants.O_CREAT, 0o600);
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

/** Closed, it is nobody's: the system gives its number to the next file that is opened. */
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

/** The system may move less than it was asked to. Nothing at all is the end of the file. */
function moved(bytes: Uint8Array, some: (from: number) => number): number {
  let from = 0;
  while (from < bytes.length) {
    const more = some(from);
    if (more === 0) return from;
    from += more;
  }
  return from;
}

function syncFolder(path: string): void {
  // Windows opens no folders, and keeps names on its own.
  if (process.platform === 'win32') return;
  const fd = openSync(path, constants.O_RDONLY);
  fsyncSync(fd);
  closeSync(fd);
}
