import { ModelError } from '../../../../core/model-error.ts';
import { makeSerialQueue } from '../../../async.ts';
import { thrownError } from '../../../thrown.ts';

/** Work of an engine that does one thing at a time. */
type EngineQueue = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

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

/** UTF-16 units of an engine's text that are shown to the developer. */
const SAID_MAX = 2048;

/** WebLLM's name of the error for a request that is longer than the model's window. */
const TOO_LONG = 'ContextWindowSizeExceededError';

/**
 * The failure for the run, of an engine on this device. The message is recorded, so it holds no text of the engine. An
 * engine that has failed gets the same request again only where the program asks for it.
 */
export function engineFailure(engine: string, error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { name, message } = thrownError(error);
  const fault = name === TOO_LONG ? 'window' : 'failed';
  const text = fault === 'window' ? 'The request is larger than the window of the model.' : `${engine} has failed.`;
  return new ModelError(text, { retryable: false, said: `${name}: ${message}`.slice(0, SAID_MAX) }, { fault });
}

const PAGE_BYTES = 65_536;

/**
 * Asks the browser for as much memory as an engine needs, and drops it: an engine crashes where it gets none. Throws a
 * `ModelError` whose `details.fault` is `no_memory`, or `no_memory64` where the browser has no addresses of 64 bits.
 */
export function assertEngineMemory(bytes: number, Memory: typeof WebAssembly.Memory = WebAssembly.Memory): void {
  const initial = BigInt(Math.ceil(bytes / PAGE_BYTES));
  try {
    Reflect.construct(Memory, [{ address: 'i64', initial }]);
  } catch (error) {
    const fault = error instanceof RangeError ? 'no_memory' : 'no_memory64';
    throw new ModelError('The browser gives the engine no memory.', { retryable: false }, { fault });
  }
}
