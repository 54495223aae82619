import { mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeTurnQueue } from '../../async.ts';
import type { ByteFile } from '../journal/journal.ts';
import { damaged } from '../journal/journal.ts';
import { makeLocalPeers, type Peers } from '../peer-channel.ts';
import type { SharedStore } from '../shared-store.ts';
import { type Claims, makeClaims, type ReleaseClaim } from '../shared-store.ts';
import { acknowledge, assertChained, type Batch, youngestFirst } from '../store.ts';
import { byKey } from '../tables.ts';
import { batchesBackwards, batchesOfLog, batchesOfRun } from './batches.ts';
import { writeIncoming } from './copy.ts';
import { failure, makeFile, NotAFile, openFile, openToRead, replaceFile, syncFolder } from './file.ts';
import { checkUnlocked, type DirectoryLock, type LockOptions, lockDirectory } from './lock.ts';
import { DirectoryLog } from './log.ts';
import { type FlushedExtent, readWitness, witnessIn } from './witness.ts';

/** The log that all stores of this process share on a directory. The last store to close releases it. */
interface SharedLog {
  readonly log: DirectoryLog;
  /** `store_lost` where another process has taken over the lock. Looks at the lock now. */
  readonly check: () => Outcome<void>;
  /** Called in the turn in which the log is closed, behind the last store. */
  readonly leave: () => void;
  /** Queue of the stores of this process that change content. */
  readonly turn: () => Promise<() => void>;
  /** Claims of the stores of this process on runs. */
  readonly claims: Claims;
  readonly peer: () => Peers;
  users: number;
}

const open = new Map<string, SharedLog>();

/**
 * Opens the ledger in a single append-only file of a directory. The directory is made if it is absent; a witness of the
 * flushed size stands beside the file. `strict` is `fdatasync` before the answer, shared by all waiting writes. A
 * single process writes, with any number of stores in it. `store_locked` where another process has the directory; a
 * process in another container or on another machine has it until its lock was not renewed for 30 s;
 * `store_damaged` where the file is torn anywhere but at its end, has lost flushed bytes, or is a link, a folder or a
 * device.
 */
export function openDirectoryStore(directory: string, options?: LockOptions): Outcome<SharedStore> {
  const found = folderAt(directory, true);
  if (!found.ok) return found;
  const path = found.value;
  const shared = open.get(path);
  if (shared !== undefined) return pass(sharing(path, shared));
  const locked = lockDirectory(path, options);
  if (!locked.ok) return locked;
  const lock = locked.value;
  let log: Outcome<DirectoryLog> | undefined;
  try {
    log = openForWriting(path, lock);
  } finally {
    // a failed opening releases the lock for other processes and for the next attempt
    if (log?.ok !== true) lock.release();
  }
  if (!log.ok) return log;
  const leave = (): void => {
    open.delete(path);
    lock.release();
  };
  const first = { log: log.value, check: () => lock.check('now'), leave, ...together(), users: 0 };
  open.set(path, first);
  return pass(sharing(path, first));
}

/** The real path of a directory, which is made where it may be. `store_unopened` where there is none. */
function folderAt(directory: string, isMade: boolean): Outcome<string> {
  try {
    if (isMade) mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = realpathSync(directory);
    if (statSync(path).isDirectory()) return pass(path);
    return refuse('store_unopened', { reason: `${directory} is a file, and no directory` });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    return refuse('store_unopened', { reason: isFile ? `${directory} is a file, or lies below one` : message });
  }
}

/**
 * Opens the ledger in a directory for reading only: no file is written, repaired or made, not even a lock.
 * `store_locked` where a process has it; `store_damaged`.
 */
export function lookAtDirectory(directory: string): Outcome<SharedStore> {
  const found = folderAt(directory, false);
  if (!found.ok) return found;
  const path = found.value;
  const shared = open.get(path);
  if (shared !== undefined) return pass(sharing(path, shared));
  const unlocked = checkUnlocked(path);
  if (!unlocked.ok) return unlocked;
  const log = openForReading(path);
  if (!log.ok) return log;
  const alone = { log: log.value, check: () => unlocked, leave: () => undefined, ...together(), users: 0 };
  return pass(sharing(path, alone));
}

function sharing(path: string, shared: SharedLog): SharedStore {
  shared.users++;
  return storeOver(path, shared);
}

function together(): Pick<SharedLog, 'turn' | 'claims' | 'peer'> {
  return { turn: makeTurnQueue(), claims: makeClaims(), peer: makeLocalPeers() };
}

function storeOver(path: string, shared: SharedLog): SharedStore {
  const { log, claims } = shared;
  const mine = new Set<ReleaseClaim>();
  const peers = shared.peer();
  const runs = () => youngestFirst([...log.contents.rows.values()]);
  const head = () => ({ size: log.log.size, root: rootOf(log.log) });
  let closed = false;
  /** Closes this store, and the log where no other store has it: `after` runs before another can open it. */
  const end = async (after: () => unknown): Promise<boolean> => {
    closed = true;
    for (const release of mine) release();
    peers.close();
    return --shared.users === 0 && log.close(() => shared.users > 0, after);
  };
  return {
    kind: 'directory',
    unreadBytes: log.unreadBytes,
    append: async (append, durability) => {
      assertChained(append);
      const batch = await log.append(append, durability);
      return batch.ok ? pass(acknowledge(batch.value)) : batch;
    },
    read: async (run_id, from, most) => reading(() => [...batchesOfRun(log, run_id, from, most)]),
    payload: async (run_id, sha256, upTo) => reading(() => bytesIn(batchesBackwards(log, run_id, upTo), sha256)),
    runs: async () => pass(runs()),
    head: async () => pass(head()),
    snapshot: async () => pass({ ...head(), runs: runs() }),
    put: (writes) => log.put(writes),
    get: async (table, key) => pass(structuredClone(log.contents.tables[table].get(key))),
    all: async (table, after, most) => {
      const rows = [...log.contents.tables[table]].filter(([key]) => after === undefined || key > after);
      return pass(structuredClone(rows.toSorted(byKey).slice(0, most)));
    },
    replace: (batches) => log.replace(batches),
    tidy: () => log.tidy(),
    log: async (from, most) => reading(() => [...batchesOfLog(log, from, most)]),
    restore: (pages) => log.restore(pages),
    exchange: async (pages) => {
      const held = shared.check();
      if (!held.ok) return held;
      const written = await writeIncoming(join(path, INCOMING), pages);
      if (!written.ok) return written;
      const discard = async (): Promise<void> => rmSync(join(path, INCOMING), { force: true });
      const commit = async (): Promise<Outcome<void>> => {
        if (closed) return refuse('store_lost', { reason: 'the store is closed' });
        const isAlone = shared.users === 1;
        let taken: Outcome<void> = pass(undefined);
        const isTaken = isAlone && (await end(() => (taken = lastly(shared, () => takeIncoming(path)))));
        if (!isTaken) await discard();
        return isTaken ? taken : refuse('store_busy', {});
      };
      return pass({ commit, discard });
    },
    isShared: async () => shared.users > 1,
    destroy: async () => {
      if (closed) return refuse('store_lost', { reason: 'the store is closed' });
      if (shared.users > 1) return refuse('store_busy', {});
      let gone: Outcome<void> = pass(undefined);
      const isGone = await end(() => (gone = lastly(shared, () => removeFiles(path))));
      return isGone ? gone : refuse('store_busy', {});
    },
    claim: async (run_id, signal) => {
      const release = await claims.claim(run_id, signal);
      if (release === undefined) return undefined;
      const free = (): void => {
        mine.delete(free);
        release();
      };
      mine.add(free);
      return free;
    },
    held: claims.held,
    peers,
    exclusive: shared.turn,
    close: async () => {
      if (!closed) await end(shared.leave);
    },
  };
}

/**
 * Acts on the files of a closed log while this process has the lock, and gives the lock up: another process would write
 * into files that are removed or replaced. `store_lost` where another process has the lock by now.
 */
function lastly({ check, leave }: SharedLog, act: () => void): Outcome<void> {
  try {
    const held = check();
    if (held.ok) act();
    return held;
  } finally {
    leave();
  }
}

function bytesIn(batches: Iterable<Batch>, sha256: string): Uint8Array | undefined {
  for (const { payloads } of batches) {
    const found = payloads.find((payload) => payload.sha256 === sha256);
    if (found !== undefined) return found.bytes;
  }
  return undefined;
}

/**
 * Turns an exception into a refusal: the disk may fail, another program may have changed the file, or the caller may
 * have closed it.
 */
function reading<T>(read: () => T): Outcome<T> {
  try {
    return pass(read());
  } catch (reason) {
    return failure(reason);
  }
}

export const JOURNAL = 'ledger.journal';
export const WITNESS = 'ledger.witness';

/** Opens the log of a directory for writing, under the lock of this process. */
function openForWriting(path: string, lock: DirectoryLock): Outcome<DirectoryLog> {
  const [journal, witness] = [join(path, JOURNAL), join(path, WITNESS)];
  const seen = witnessed(path);
  // a replacement that was cut off: the journal is as it was
  rmSync(join(path, INCOMING), { force: true });
  // a journal that the witness saw is never replaced by a new, empty one
  const make = () => (seen === undefined ? openFile(journal) : openFile(journal, 'there'));
  const log = (file: ByteFile) =>
    DirectoryLog.open(
      file,
      (fill, close) => replaceFile(journal, fill, close),
      witnessIn(seen, () => (seen === undefined ? makeFile(witness) : openFile(witness))),
      lock,
    );
  return opening(seen, make, log);
}

/** Opens the log of a directory for reading only. */
function openForReading(path: string): Outcome<DirectoryLog> {
  const seen = witnessed(path);
  return opening(
    seen,
    () => openToRead(join(path, JOURNAL)),
    (file) => DirectoryLog.look(file, { seen }),
  );
}

/** The file in which another log is written whole before it takes the place of the journal. */
const INCOMING: string = `${JOURNAL}.incoming`;

/** Puts the incoming log, whole on the disk, in the place of the journal. The witness of the journal goes first. */
function takeIncoming(path: string): void {
  rmSync(join(path, WITNESS), { force: true });
  syncFolder(path);
  renameSync(join(path, INCOMING), join(path, JOURNAL));
  syncFolder(path);
}

/** The witness goes first: a process stopped between the two removals has lost no journal. */
function removeFiles(path: string): void {
  rmSync(join(path, WITNESS), { force: true });
  syncFolder(path);
  for (const file of [JOURNAL, `${JOURNAL}.new`, INCOMING]) rmSync(join(path, file), { force: true });
}

function opening(
  seen: FlushedExtent | undefined,
  make: () => ByteFile | undefined,
  read: (file: ByteFile) => Outcome<DirectoryLog>,
): Outcome<DirectoryLog> {
  let file: ByteFile | undefined;
  let log: Outcome<DirectoryLog> | undefined;
  try {
    file = make();
    if (file === undefined) return damaged(0, `is gone, and ledger.witness saw ${seen?.bytes ?? 0} bytes on the disk`);
    log = read(file);
    return log;
  } catch (reason) {
    if (reason instanceof NotAFile) return damaged(0, 'is a link, a folder or a device, and no file of its own');
    throw reason;
  } finally {
    if (log?.ok !== true) file?.close();
  }
}

/** Contents of the witness; undefined for a torn or foreign file. */
function witnessed(path: string): FlushedExtent | undefined {
  let file: ByteFile | undefined;
  try {
    file = openToRead(join(path, WITNESS));
    return file && readWitness(file);
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}
