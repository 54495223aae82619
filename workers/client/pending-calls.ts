type Method = (...given: never[]) => Promise<unknown>;

/** Callbacks for calls in flight that a closed runtime can no longer answer. */
export type PendingCalls = Set<() => void>;

/** The same methods; a call that is unanswered at the close rejects with the error of `refused`. */
export function rejectAtClose<T extends { readonly [name in keyof T]: Method }>(
  face: T,
  waiting: PendingCalls,
  refused: () => Promise<unknown>,
): T {
  const bound = (act: Method): Method => {
    return (...given) =>
      new Promise((resolve, reject) => {
        const tell = () => void refused().catch(reject);
        waiting.add(tell);
        void act(...given)
          .then(resolve, reject)
          .finally(() => waiting.delete(tell));
      });
  };
  return Object.fromEntries(Object.entries<Method>(face).map(([name, act]) => [name, bound(act)])) as unknown as T;
}
