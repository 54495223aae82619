/** A promise and the means to settle it; `Promise.withResolvers` is younger than the oldest Node we run on. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export function deferred<T>(): Deferred<T> {
  let parts: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    parts = { resolve, reject };
  });
  // the executor has run by now
  return { promise, ...(parts as unknown as Omit<Deferred<T>, 'promise'>) };
}
