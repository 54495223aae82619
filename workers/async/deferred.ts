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

/**
 * The awaited value, or undefined after the signal's abort. Removes its listener, so that repeated waits leave no
 * trace.
 */
export async function orAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return waiting;
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = deferred<undefined>();
  const abort = (): void => resolve(undefined);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Callers that wait for an event. `tell` resolves all of them at once, and then forgets them. */
export interface Waiters<T> {
  wait(): Promise<T>;
  settle(value: T): void;
}

export function makeWaiters<T = void>(): Waiters<T> {
  const waiting: ((value: T) => void)[] = [];
  return {
    wait: () => new Promise((resolve) => waiting.push(resolve)),
    settle: (value) => {
      for (const resolve of waiting.splice(0)) resolve(value);
    },
  };
}
