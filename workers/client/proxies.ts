import { SallyportError } from '../../core/sallyport-error.ts';
import { deferred } from '../async/deferred.ts';
import type { PendingCalls } from './pending-calls.ts';

const closed = () => new SallyportError('runtime_closed', 'The runtime is closed. Open another.', {});

/**
 * Proxy of an object, perhaps behind a port. After the close, each call rejects with `runtime_closed`, and so does a
 * call that is unanswered at the close: a terminated worker would never answer it. Arguments that cannot be cloned
 * reject with `option_invalid`.
 */
export function guardedProxy<T extends object>(remote: T, isClosed: () => boolean, pending: PendingCalls): T {
  return new Proxy(remote, {
    get: (target, name) => guardedProxy(target[name as keyof T] as object, isClosed, pending),
    async apply(target, _, args) {
      if (isClosed()) throw closed();
      const unanswered = deferred<never>();
      const tell = () => unanswered.reject(closed());
      pending.add(tell);
      try {
        const answer = (target as (...given: unknown[]) => unknown)(...(args as unknown[]));
        return await Promise.race([answer, unanswered.promise]);
      } catch (error) {
        if ((error as Error | undefined)?.name !== 'DataCloneError') throw error;
        throw new SallyportError('option_invalid', 'Only JSON values and bytes are taken.', {});
      } finally {
        pending.delete(tell);
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
