import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, pass, refuse, rootOf } from '../../core/inner.ts';
import { type Claim, type Claims, makeClaims, type Release } from '../claims.ts';
import type { ByteFile } from '../journal/file.ts';
import { makeNeighbourhood, type Neighbours } from '../neighbours.ts';
import { acknowledge, assertChained, type Batch, type LedgerStore, youngestFirst } from '../store.ts';
import { byKey } from '../tables.ts';
import { makeTurns } from '../turns.ts';
import { failure } from './failure.ts';
import { openFile, replaceFile } from './file.ts';
import { lockDirectory } from './lock.ts';
import { DirectoryLog } from './log.ts';

/** Stores of this process on one directory share one log; the last one gives it free. */
interface Shared {
  readonly log: DirectoryLog;
  readonly unlock: () => void;
  /** Of the stores of this process, for who changes content. */
  readonly turn: () => Promise<() => void>;
  /** Of the stores of this process, for who writes a run. */
  readonly claims: Claims;
  readonly neighbour: () => Neighbours;
  users: number;
}

export interface DirectoryStore extends LedgerStore {
  /** Makes this store the one writer of a run until it gives it free, or is closed. */
  readonly claim: Claim;
  readonly held: () => ReadonlySet<string>;
  readonly neighbours: Neighbours;
  readonly exclusive: () => Promise<() => void>;
}

const JOURNAL = 'ledger.journal';

const open = new Map<string, Shared>();

/**
 * The ledger in one append-only file of a directory, which is made if it is not there. `strict` is `fdatasync` before
 * the answer, shared by all who wait for it. One process writes; any number of stores in it. `store_locked` where
 * another process has it, `store_damaged` where the file is torn anywhere but at its end.
 */
export function openDirectoryStore(directory: string): Outcome<DirectoryStore> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = realpathSync(directory);
  const shared = open.get(path);
  if (shared !== undefined) {
    shared.users++;
    return pass(storeOver(path, shared));
  }
  const opened = openLog(path);
  if (!opened.ok) return opened;
  open.set(path, opened.value);
  return pass(storeOver(path, opened.value));
}

function openLog(path: string): Outcome<Shared> {
  const unlock = lockDirectory(path);
  if (!unlock.ok) return unlock;
  const journal = join(path, JOURNAL);
  let file: ByteFile | undefined;
  let log: Outcome<DirectoryLog> | undefined;
  try {
    file = openFile(journal);
    log = DirectoryLog.open(file, (fill, close) => replaceFile(journal, fill, close));
  } finally {
    // whoever could not open it does not keep others from it, nor itself from trying again
    if (log?.ok !== true) {
      file?.close();
      unlock.value();
    }
  }
  return log.ok ? pass({ log: log.value, unlock: unlock.value, ...together(), users: 1 }) : log;
}

function together(): Pick<Shared, 'turn' | 'claims' | 'neighbour'> {
  return { turn: makeTurns(), claims: makeClaims(), neighbour: makeNeighbourhood() };
}

function storeOver(path: string, shared: Shared): DirectoryStore {
  const { log, claims } = shared;
  const mine = new Set<Release>();
  const neighbours = shared.neighbour();
  const runs = () => youngestFirst([...log.rows.values()]);
  const head = () => ({ size: log.log.size, root: rootOf(log.log) });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    for (const release of mine) release();
    neighbours.close();
    if (--shared.users > 0) return;
    open.delete(path);
    await log.close();
    shared.unlock();
  };
  return {
    kind: 'directory',
    append: async (append, durability) => {
      assertChained(append);
      const batch = await log.append(append, durability);
      return batch.ok ? pass(acknowledge(batch.value)) : batch;
    },
    read: async (run_id, from, most) => reading(() => [...log.batches(run_id, from, most)]),
    payload: async (run_id, sha256, upTo) => reading(() => bytesIn(log.backwards(run_id, upTo), sha256)),
    runs: async () => pass(runs()),
    head: async () => pass(head()),
    standing: async () => pass({ ...head(), runs: runs() }),
    put: (writes) => log.put(writes),
    get: async (table, key) => pass(structuredClone(log.tables[table].get(key))),
    all: async (table, after, most) => {
      const rows = [...log.tables[table]].filter(([key]) => after === undefined || key > after);
      return pass(structuredClone(rows.toSorted(byKey).slice(0, most)));
    },
    replace: (batches) => log.replace(batches),
    tidy: () => log.tidy(),
    log: async (from, most) => reading(() => [...log.ofLog(from, most)]),
    restore: (pages) => log.restore(pages),
    isShared: async () => shared.users > 1,
    destroy: async () => {
      if (shared.users > 1) return refuse('store_busy', {});
      await close();
      for (const file of [JOURNAL, `${JOURNAL}.new`]) rmSync(join(path, file), { force: true });
      return pass(undefined);
    },
    claim: async (run_id, signal) => {
      const release = await claims.claim(run_id, signal);
      if (release !== undefined) mine.add(release);
      return release;
    },
    held: claims.held,
    neighbours,
    exclusive: shared.turn,
    close,
  };
}

function bytesIn(batches: Iterable<Batch>, sha256: string): Uint8Array | undefined {
  for (const { payloads } of batches) {
    const found = payloads.find((payload) => payload.sha256 === sha256);
    if (found !== undefined) return found.bytes;
  }
  return undefined;
}

/** The disk may fail, somebody may have written the file under us, and whoever asked may have closed it. */
function reading<T>(read: () => T): Outcome<T> {
  try {
    return pass(read());
  } catch (reason) {
    return failure(reason);
  }
}
