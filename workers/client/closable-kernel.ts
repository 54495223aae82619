import { SallyportError } from '../../core/sallyport-error.ts';
import { deferred } from '../async/deferred.ts';
import type { Kernel } from '../kernel/api.ts';
import type { PendingCalls } from './pending-calls.ts';

const closed = () => new SallyportError('runtime_closed', 'The runtime is closed. Open another.', {});

type Method = (...given: never[]) => Promise<unknown>;

/**
 * The kernel, perhaps behind a port. After the close, each call rejects with `runtime_closed`, and so does a call that is
 * unanswered at the close: a terminated worker would never answer it. Arguments that cannot be cloned reject with
 * `option_invalid`.
 */
export function closableKernel(kernel: Kernel, isClosed: () => boolean, pending: PendingCalls): Kernel {
  const guarded =
    (method: Method): Method =>
    async (...given) => {
      if (isClosed()) throw closed();
      const unanswered = deferred<never>();
      const tell = () => unanswered.reject(closed());
      pending.add(tell);
      try {
        return await Promise.race([method(...given), unanswered.promise]);
      } catch (error) {
        if ((error as Error | undefined)?.name !== 'DataCloneError') throw error;
        throw new SallyportError('option_invalid', 'Only JSON values and bytes are taken.', {});
      } finally {
        pending.delete(tell);
      }
    };
  const methods = Object.entries<Method>({ ...kernel }).map(([name, method]) => [name, guarded(method)]);
  return Object.fromEntries(methods) as Kernel;
}
