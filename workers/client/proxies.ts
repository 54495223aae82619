import { SallyportError } from '../../core/sallyport-error.ts';

/**
 * Proxy of an object, perhaps behind a port. After the close, each call rejects with `runtime_closed`, because it would
 * wait for ever. Arguments that cannot be cloned reject with `option_invalid`.
 */
export function guardedProxy<T extends object>(remote: T, isClosed: () => boolean): T {
  return new Proxy(remote, {
    get: (target, name) => guardedProxy(target[name as keyof T] as object, isClosed),
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

/** An object that can be called while it loads. All of its methods are async. */
export function lazyObject<T extends object>(names: readonly (keyof T)[], loaded: Promise<T>): T {
  type Method = (...given: readonly unknown[]) => unknown;
  // Each caller receives the failure.
  loaded.catch(() => undefined);
  const asked =
    (name: keyof T) =>
    async (...given: readonly unknown[]) =>
      ((await loaded)[name] as Method)(...given);
  return Object.fromEntries(names.map((name) => [name, asked(name)])) as T;
}
