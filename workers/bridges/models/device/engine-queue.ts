import { makeSerialQueue } from '../../../async.ts';

/** Work of an engine that does one thing at a time. */
export type EngineQueue = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * Makes a queue for an engine that generates one answer at a time, and whose stop ends the answer under way. Each work
 * begins when the work before it is over, also where that was aborted. An abort rejects at once with the signal's
 * reason, and work that was aborted while it waited never begins.
 */
export function makeEngineQueue(): EngineQueue {
  const queue = makeSerialQueue();
  return (signal, work) =>
    new Promise((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      const done = queue(async () => {
        signal.throwIfAborted();
        return work();
      });
      done.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
}
