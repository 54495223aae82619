/**
 * Platform objects by which the kernel stores data and meets other tabs. The references are taken here once, so that
 * the globals can be removed from other code in the worker (`exits.ts`). Each is undefined where the platform lacks it,
 * or where the user allows no storage.
 */
export const ORIGIN: {
  readonly caches: CacheStorage | undefined;
  readonly indexedDB: IDBFactory | undefined;
  readonly storage: StorageManager | undefined;
  readonly locks: LockManager | undefined;
  readonly BroadcastChannel: typeof BroadcastChannel | undefined;
} = {
  caches: read(() => caches),
  indexedDB: read(() => indexedDB),
  storage: read(() => navigator.storage),
  locks: read(() => navigator.locks),
  BroadcastChannel: read(() => BroadcastChannel),
};

/** Undefined where the read throws: some browsers deny storage that way, and Node lacks some of the names. */
function read<T>(take: () => T): T | undefined {
  try {
    return take();
  } catch {
    return undefined;
  }
}
