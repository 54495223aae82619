/**
 * What the kernel keeps in its origin and by what it meets other tabs. The references are taken here, once, so that
 * the globals which any other code in the worker would use can be removed (`exits.ts`). Each is undefined where the
 * platform has none, or where its person allows no storage.
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

/** Some browsers throw where they deny storage, and Node knows not all of the names. */
function read<T>(take: () => T): T | undefined {
  try {
    return take();
  } catch {
    return undefined;
  }
}
