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

/** What is waited for, or nothing once the signal is aborted. Leaves nothing behind at either, however often it waits. */
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

/** Callers who wait until a run has come somewhere. All of them are told at once, and forgotten. */
export interface Waiters<T> {
  wait(): Promise<T>;
  tell(value: T): void;
}

export function makeWaiters<T = void>(): Waiters<T> {
  const waiting: ((value: T) => void)[] = [];
  return {
    wait: () => new Promise((resolve) => waiting.push(resolve)),
    tell: (value) => {
      for (const tell of waiting.splice(0)) tell(value);
    },
  };
}
