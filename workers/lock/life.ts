/**
 * How a page learns that a worker is gone. A browser sends no event when a worker ends by itself, and a port does not
 * close with it, so a dead worker would look like one that hangs. A worker holds a lock of its own name as long as it
 * lives, and a hanging worker holds it, too: the page gets the lock when the worker is gone. No locks are in a page
 * without a secure context; there a dead worker is taken for one that hangs.
 */
type Locks = Pick<LockManager, 'request'> | undefined;

/** Holds the lock of this worker until its end. Resolves with true when it is held, and with false where none is. */
export function holdLife(name: string): Promise<boolean> {
  const locks: Locks = navigator.locks;
  if (locks === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const hold = (lock: Lock | null): Promise<never> | undefined => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise<never>(() => undefined);
    };
    // a lock that another worker of this name holds would be waited for without end
    locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(false));
  });
}

/** Resolves when the worker that holds the lock of this name is gone; never where this realm has no locks. */
export function lifeEnds(name: string): Promise<void> {
  const never = new Promise<never>(() => undefined);
  const locks: Locks = navigator.locks;
  return locks?.request(name, () => undefined).catch(() => never) ?? never;
}
