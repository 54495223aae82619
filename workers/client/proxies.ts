import { SallyportError } from '../../core/sallyport-error.ts';

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

/** What is on its way, to be asked at once; its methods are all async. */
export function lazily<T extends object>(names: readonly (keyof T)[], loaded: Promise<T>): T {
  type Method = (...given: readonly unknown[]) => unknown;
  // whoever asks is told
  loaded.catch(() => undefined);
  const asked =
    (name: keyof T) =>
    async (...given: readonly unknown[]) =>
      ((await loaded)[name] as Method)(...given);
  return Object.fromEntries(names.map((name) => [name, asked(name)])) as T;
}
