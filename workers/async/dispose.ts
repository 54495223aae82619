/// <reference lib="esnext.disposable" preserve="true" />

interface Closable extends AsyncDisposable {
  close(): void | Promise<void>;
}

/** Symbol for `await using`. On platforms without it, compilers of `await using` look for this registered symbol. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** Makes an object with `close` usable with `await using`. */
export function disposable<T extends Closable>(owned: Omit<T, typeof Symbol.asyncDispose>): T {
  return { ...owned, [ASYNC_DISPOSE]: async () => owned.close() } as unknown as T;
}
