import { type IDBPDatabase, wrap } from 'idb';
import { ORIGIN } from '../origin.ts';

interface Hooks<S> {
  /** Runs where the database is older than the requested version; `from` is 0 for a new database. */
  readonly upgrade: (db: IDBPDatabase<S>, from: number) => void;
  /** Another connection waits until this connection closes. */
  readonly blocking?: () => void;
  /** The browser has closed the connection. */
  readonly terminated?: () => void;
}

/**
 * Pauses before each further attempt, in ms. Chromium fails with `UnknownError` where it cannot open its files, as it did
 * once in a series of kills. A later attempt may find them.
 */
const PAUSES = [50, 200, 800];

/** Opens a database as `openDB` of idb does, with the factory of `origin.ts`. Throws or rejects as IndexedDB does. */
export function openDatabase<S = unknown>(name: string, version: number, hooks: Hooks<S>): Promise<IDBPDatabase<S>> {
  return repeated(() => opened(name, version, hooks));
}

async function opened<S>(
  name: string,
  version: number,
  { upgrade, blocking, terminated }: Hooks<S>,
): Promise<IDBPDatabase<S>> {
  const request = factory().open(name, version);
  request.addEventListener('upgradeneeded', ({ oldVersion }) =>
    upgrade(wrap(request.result) as unknown as IDBPDatabase<S>, oldVersion),
  );
  const db = (await wrap(request)) as unknown as IDBPDatabase<S>;
  if (blocking) db.addEventListener('versionchange', () => blocking());
  if (terminated) db.addEventListener('close', () => terminated());
  return db;
}

export async function removeDatabase(name: string): Promise<void> {
  await repeated(() => wrap(factory().deleteDatabase(name)));
}

/**
 * True for a failure by which the browser denies this page all storage. Example: Chromium in a frame of another site,
 * with the name of a broken file: "UnknownError: The user denied permission to access the database."
 */
export function isDenied(reason: unknown): reason is DOMException {
  return (
    reason instanceof DOMException &&
    (reason.name === 'SecurityError' || (reason.name === 'UnknownError' && /\bdenied\b/i.test(reason.message)))
  );
}

/** Repeats an act of the browser that fails with `UnknownError`, and passes every other failure on. */
async function repeated<T>(act: () => Promise<T>): Promise<T> {
  for (const ms of PAUSES) {
    try {
      return await act();
    } catch (reason) {
      if (isDenied(reason) || !(reason instanceof DOMException && reason.name === 'UnknownError')) throw reason;
    }
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return act();
}

function factory(): IDBFactory {
  if (ORIGIN.indexedDB === undefined) throw new DOMException('There is no IndexedDB.', 'SecurityError');
  return ORIGIN.indexedDB;
}
