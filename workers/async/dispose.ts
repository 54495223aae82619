/// <reference lib="esnext.disposable" preserve="true" />

interface Closable extends AsyncDisposable {
  close(): void | Promise<void>;
}

/** Where the platform has no such symbol, this is the one that compilers of `await using` look for in its place. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** Gives `await using` what its owner would `close`. */
export function disposable<T extends Closable>(owned: Omit<T, typeof Symbol.asyncDispose>): T {
  return { ...owned, [ASYNC_DISPOSE]: async () => owned.close() } as unknown as T;
}
