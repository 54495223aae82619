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
