import { ModelError } from '../../../../core/model-error.ts';

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
