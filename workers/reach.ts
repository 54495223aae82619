import { SallyportError } from '../core/index.ts';

/**
 * What is asked of something, perhaps behind a port, as long as it is there: once it is closed nobody would answer, and
 * whoever asked would wait for ever (`runtime_closed`). What cannot cross because it is no data is `option_invalid`.
 */
export function reach<T extends object>(remote: T, isClosed: () => boolean): T {
  return new Proxy(remote, {
    get: (target, name) => reach(target[name as keyof T] as object, isClosed),
    async apply(target, _, args) {
      if (isClosed()) throw new SallyportError('runtime_closed', 'The runtime is closed. Open another.', {});
      try {
        return await (target as (...given: unknown[]) => unknown)(...(args as unknown[]));
      } catch (error) {
        if ((error as Error | undefined)?.name !== 'DataCloneError') throw error;
        throw new SallyportError('option_invalid', 'Only JSON values and bytes are taken.', {});
      }
    },
  });
}
