/** `Promise.withResolvers`, which Node has from 22 on. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as Omit<Deferred<T>, 'promise'>) };
}

/** Resolves when the signal is aborted; without one never. */
export function abortOf(signal: AbortSignal | undefined): Promise<undefined> {
  if (signal?.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined), { once: true }));
}
