type Method = (...given: never[]) => Promise<unknown>;

/** Who waits for an answer that cannot come any more once the runtime is closed. */
export type Waiting = Set<() => void>;

/** The same methods; one that is not answered by then rejects with what `refused` rejects with. */
export function untilClosed<T extends { readonly [name in keyof T]: Method }>(
  face: T,
  waiting: Waiting,
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
