import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fdatasync,
  fdatasyncSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../../../core/errors.ts';
import { isObject } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type FileStart, isCode, NotAFile, readStart } from './file.ts';

/** The lock of a directory, held by this process. */
export interface DirectoryLock {
  /** The lock was taken from an owner that may live on: its process cannot be seen from here. */
  readonly isTimedOut: boolean;
  /**
   * Passes while the lock is this process's own. It looks at the file where the last look is older than `lookMs`, or
   * `now`. `store_lost` from the moment on when the file was found to be another's, or gone.
   */
  check(when?: 'now'): Outcome<void>;
  release(): void;
}

/** Times of a lock in ms. */
interface LockTimes {
  /** The owner renews the time of its lock this often. */
  readonly renewMs: number;
  /** Age of the last look at which the owner looks again before it acknowledges. */
  readonly lookMs: number;
  /** A lock of an owner that cannot be seen from here is free when it was not renewed for this time. */
  readonly endedMs: number;
}

const TIMES: LockTimes = { renewMs: 5_000, lookMs: 5_000, endedMs: 30_000 };

/** Where a process runs: its number means a process only there. */
export interface ProcessPlace {
  /** Name of the machine or of the container, and the number that the system was installed with. */
  readonly host: string;
  /** Number of the start of the machine, where the system tells it. */
  readonly boot?: string;
  /** The namespace of the process numbers, and the one of the times at which processes began. */
  readonly space?: string;
  readonly time?: string;
}

export interface LockOptions {
  readonly times?: LockTimes;
  readonly place?: ProcessPlace;
}

/** The process that writes a directory: its number and, where the system tells it, its start time. */
interface Owner extends ProcessPlace {
  /** Random; no two locks are the same. */
  readonly id: string;
  readonly pid: number;
  readonly began?: string;
}

/** A lock whose owner has ended, or was not heard of for too long. */
interface FreeLock {
  readonly file: FileStart;
  readonly isTimedOut: boolean;
}

/** Makes this process the only writer of a directory, on all machines and in all containers. `store_locked`. */
export function lockDirectory(directory: string, options: LockOptions = {}): Outcome<DirectoryLock> {
  const path = join(directory, 'lock');
  const owner: Owner = { id: randomUUID(), ...(options.place ?? placeHere()), ...processOf(process.pid) };
  const mine = JSON.stringify(owner);
  const aside = `${path}.${owner.id}`;
  let isTimedOut = false;
  try {
    for (;;) {
      writeFileSync(aside, mine, { mode: 0o600 });
      if (isPut(aside, path)) break;
      // the time of the file that was just written is the time of the file system's own clock
      const free = freeLock(path, readStart(aside, 0)?.changedMs ?? Date.now(), options);
      if (!free.ok) return free;
      if (free.value === undefined) continue;
      takeAway(path, free.value.file);
      isTimedOut = free.value.isTimedOut;
    }
  } finally {
    rmSync(aside, { force: true });
  }
  return pass(heldLock(path, mine, isTimedOut, options.times ?? TIMES));
}

/** Passes where no process has the directory. Changes no file. `store_locked`. */
export function checkUnlocked(directory: string): Outcome<void> {
  const free = freeLock(join(directory, 'lock'), Date.now(), {});
  return free.ok ? pass(undefined) : free;
}

function heldLock(path: string, mine: string, isTimedOut: boolean, { renewMs, lookMs }: LockTimes): DirectoryLock {
  const fd = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  let lost: Outcome<never> | undefined;
  let looked = clocks();
  let isFlushing = false;
  let isReleased = false;
  const isMine = (): boolean => {
    try {
      return readStart(path, LOCK_BYTES)?.text === mine;
    } catch {
      return false;
    }
  };
  /**
   * The renewal goes before the look: a process that has just found the lock too old either sees the renewal and gives
   * it back, or has taken it, and the look finds that. The file stays this process's own under any name.
   */
  const renew = (): void => void writeSync(fd, mine, 0);
  const look = (at: Clocks): void => {
    if (isMine()) looked = at;
    else lost = refuse('store_lost', { reason: 'the lock of the directory is taken over, or gone' });
  };
  const lose = (reason: unknown): void => {
    // a full disk takes no renewal: the next answer looks again
    const isFull = isCode(reason, 'ENOSPC') || isCode(reason, 'EDQUOT');
    if (isFull && isMine()) return;
    lost = refuse('store_lost', { reason: `the lock of the directory: ${(reason as NodeJS.ErrnoException).code}` });
  };
  const renewInTime = async (): Promise<void> => {
    if (isFlushing || lost !== undefined) return;
    const at = clocks();
    isFlushing = true;
    try {
      renew();
      await flush(fd);
      if (!isReleased) look(at);
    } catch (reason) {
      lose(reason);
    }
    isFlushing = false;
    if (isReleased) closeSync(fd);
  };
  const renewal = setInterval(() => void renewInTime(), renewMs);
  renewal.unref();
  return {
    isTimedOut,
    check(when) {
      if (lost !== undefined || (when !== 'now' && !isOlder(looked, lookMs))) return lost ?? pass(undefined);
      const at = clocks();
      try {
        renew();
        fdatasyncSync(fd);
        look(at);
      } catch (reason) {
        lose(reason);
      }
      return lost ?? pass(undefined);
    },
    release() {
      isReleased = true;
      clearInterval(renewal);
      if (!isFlushing) closeSync(fd);
      if (isMine()) rmSync(path, { force: true });
    },
  };
}

const flush = promisify(fdatasync);

type Clocks = readonly [steady: number, wall: number];

/** The clock that no person sets stands still while a machine sleeps; the other one does not. */
function clocks(): Clocks {
  return [performance.now(), Date.now()];
}

function isOlder([steady, wall]: Clocks, ms: number): boolean {
  const [steadyNow, wallNow] = clocks();
  return steadyNow - steady > ms || Math.abs(wallNow - wall) > ms;
}

/** Gives the file this name too, unless the name is taken. Where the file system has no second names, a copy gets it. */
function isPut(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
  }
  try {
    copyFileSync(file, name, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The lock whose owner has ended, or undefined without a lock. Changes no file. `store_locked`. */
function freeLock(
  path: string,
  nowMs: number,
  { times = TIMES, place = placeHere() }: LockOptions,
): Outcome<FreeLock | undefined> {
  let file: FileStart | undefined;
  try {
    file = readStart(path, LOCK_BYTES);
  } catch (error) {
    // an unreadable lock may belong to a living process
    return refuse('store_locked', { lock: error instanceof NotAFile ? 'no file of its own' : 'not readable here' });
  }
  if (file === undefined) return pass(undefined);
  const owner = parseOwner(file.text);
  if (owner !== undefined && isHere(owner, place))
    return isAlive(owner)
      ? refuse('store_locked', { pid: owner.pid })
      : // where no start is told, another machine of this name may be meant
        pass({ file, isTimedOut: place.boot === undefined });
  // a time far in the future was written before the clock was set back
  if (Math.abs(nowMs - file.changedMs) >= times.endedMs) return pass({ file, isTimedOut: true });
  if (owner === undefined) return refuse('store_locked', { lock: 'not whole' });
  const [host = ''] = owner.host.split(' ');
  return refuse('store_locked', { pid: owner.pid, host });
}

/**
 * True where the owner's number means a process here. Another start is another machine: machines share a name and a
 * number, as containers and clones do, so neither tells that this machine has started again. Linux has containers: there
 * a place is known by its start and its namespace.
 */
function isHere(owner: Owner, { host, boot, space, time }: ProcessPlace): boolean {
  if (process.platform === 'linux' && (boot === undefined || space === undefined)) return false;
  return owner.host === host && owner.boot === boot && owner.space === space && owner.time === time;
}

/** A lock is shorter. The first bytes of a longer file are enough to see that it is no lock. */
const LOCK_BYTES = 1024;

/**
 * Removes a free lock, but only the lock that was read: another process may have put its own there meanwhile, and its
 * owner may have renewed it.
 */
function takeAway(path: string, found: FileStart): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    const taken = readStart(aside, LOCK_BYTES);
    if (taken?.text !== found.text || taken.changedMs !== found.changedMs) linkSync(aside, path);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

const PID_MAX = 2 ** 31 - 1;

/** Owner named by a lock; undefined for a file that is not a whole lock. */
function parseOwner(text: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    if (!isObject(owner)) return undefined;
    const { id, host, pid, boot = '', space = '', time = '', began = '' } = owner;
    const isWhole = [id, host, boot, space, time, began].every((each) => typeof each === 'string');
    // 0 and negative numbers name groups of processes, including ours
    const isPid = Number.isSafeInteger(pid) && Number(pid) > 0 && Number(pid) <= PID_MAX;
    return isWhole && isPid ? (owner as unknown as Owner) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, began }: Owner): boolean {
  const now = processOf(pid);
  // The number may belong to a newer process.
  if (began !== undefined && now.began !== undefined && began !== now.began) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

function placeHere(): ProcessPlace {
  const machine = readOrNothing('/etc/machine-id')?.trim() ?? '';
  const host = machine === '' ? hostname() : `${hostname()} ${machine}`;
  const boot = readOrNothing('/proc/sys/kernel/random/boot_id')?.trim();
  const space = linkOrNothing('/proc/self/ns/pid');
  const time = linkOrNothing('/proc/self/ns/time');
  return { host, ...(boot && { boot }), ...(space && { space }), ...(time && { time }) };
}

/** Field 22 of Linux' `/proc/<pid>/stat`, counted from behind the name, which may hold blanks and brackets. */
function processOf(pid: number): Pick<Owner, 'pid' | 'began'> {
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

function linkOrNothing(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
