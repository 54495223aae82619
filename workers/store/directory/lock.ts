import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { isCode, NotAFile, openToRead } from './file.ts';

/** The process that writes a directory: its number and, where the system tells it, its start time. */
interface Owner {
  readonly pid: number;
  readonly began?: string;
}

/** Makes this process the only writer of a directory; the returned function releases the lock. `store_locked`. */
export function lockDirectory(directory: string): Outcome<() => void> {
  const path = join(directory, 'lock');
  const mine = JSON.stringify(ownerOf(process.pid));
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return pass(() => rmSync(path, { force: true }));
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    const free = lockOwner(directory);
    if (!free.ok) return free;
    if (free.value !== undefined) takeAway(path, free.value);
  }
}

/** Text of a lock whose process has ended, or undefined without a lock. Changes no file. `store_locked`. */
export function lockOwner(directory: string): Outcome<string | undefined> {
  let found: string | undefined;
  try {
    found = readLock(join(directory, 'lock'));
  } catch (error) {
    // an unreadable lock may belong to a living process
    return refuse('store_locked', { lock: error instanceof NotAFile ? 'no file of its own' : 'not readable here' });
  }
  const owner = found === undefined ? undefined : parseOwner(found);
  return owner !== undefined && isAlive(owner) ? refuse('store_locked', { pid: owner.pid }) : pass(found);
}

/** A lock holds a number and a time. The first bytes of a longer file are enough to see that it is no lock. */
const LOCK_BYTES = 1024;

function readLock(path: string): string | undefined {
  const file = openToRead(path);
  if (file === undefined) return undefined;
  try {
    const bytes = new Uint8Array(LOCK_BYTES);
    return decodeUtf8(bytes.subarray(0, file.read(bytes, 0))) ?? '';
  } finally {
    file.close();
  }
}

/** Removes a stale lock, but only the lock that was read: another process may have put its own there meanwhile. */
function takeAway(path: string, found: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readLock(aside) !== found) linkSync(aside, path);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

const PID_MAX = 2 ** 31 - 1;

/** Owner named by a lock; undefined for text that a killed process left half-written. */
function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    // 0 and negative numbers name groups of processes, including ours
    return Number.isSafeInteger(owner.pid) && owner.pid > 0 && owner.pid <= PID_MAX ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, began }: Owner): boolean {
  const now = ownerOf(pid);
  // The number may belong to a newer process.
  if (began !== undefined && now.began !== undefined && began !== now.began) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

/** Field 22 of Linux' `/proc/<pid>/stat`, counted from behind the name, which may hold blanks and brackets. */
function ownerOf(pid: number): Owner {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  const began = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return began === undefined ? { pid } : { pid, began };
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
