export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a queue of work: each piece begins when the previous piece is over, failed or not. */
export function makeSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** Makes a queue of turns: each caller waits for its turn, and calls the result to end it. */
export function makeTurnQueue(): () => Promise<() => void> {
  const queue = makeSerialQueue();
  return () => new Promise((begin) => void queue(() => new Promise<void>((end) => begin(end))));
}
