import { SallyportError } from '../../core/sallyport-error.ts';
import { deferred } from '../async.ts';
import type { Kernel } from '../kernel/api.ts';

/** What a runtime asks of its kernel and of its other realms. All of it rejects with `runtime_closed` after the close. */
export interface Calls {
  /**
   * The kernel as the client calls it. This is the only layer between a method of the runtime and the kernel's own, which
   * is in this thread or behind a port (`kernel-port.ts`). Data that cannot be cloned rejects with `option_invalid`.
   */
  readonly kernel: Kernel;
  /** Awaits an answer of another realm. It rejects at the close, because a terminated worker would never answer. */
  answered<T>(ask: () => Promise<T>): Promise<T>;
  /** From here on no run begins: the calls under way end before the close. */
  beginNoRun(): void;
  close(): void;
}

/** @param changed called after each call that may change the capabilities */
export function openCalls(remote: Kernel, changed: () => void): Calls {
  const waiting = new Set<() => void>();
  let isClosed = false;
  let isDraining = false;
  async function answered<T>(ask: () => Promise<T>): Promise<T> {
    if (isClosed) throw runtimeClosed();
    const unanswered = deferred<never>();
    const tell = () => unanswered.reject(runtimeClosed());
    waiting.add(tell);
    try {
      return await Promise.race([ask(), unanswered.promise]);
    } catch (error) {
      if ((error as Error | undefined)?.name !== 'DataCloneError') throw error;
      throw new SallyportError('option_invalid', 'Only JSON values and bytes are taken.', {});
    } finally {
      waiting.delete(tell);
    }
  }
  const called = (name: string, method: KernelMethod): KernelMethod => {
    const call: KernelMethod = (...given) => answered(() => method(...given));
    if (CHANGES.has(name)) return (...given) => call(...given).finally(changed);
    if (BEGINS.has(name)) return async (...given) => (isDraining ? Promise.reject(runtimeClosed()) : call(...given));
    return call;
  };
  const methods = Object.entries<KernelMethod>({ ...remote }).map(([name, method]) => [name, called(name, method)]);
  return {
    kernel: Object.fromEntries(methods) as Kernel,
    answered,
    beginNoRun: () => {
      isDraining = true;
    },
    close: () => {
      isClosed = true;
      for (const tell of waiting) tell();
    },
  };
}

type KernelMethod = (...given: never[]) => Promise<unknown>;

const CHANGES: ReadonlySet<string> = new Set<keyof Kernel>(['register', 'enable', 'forget', 'provideTool']);

/** Methods that begin a run. */
const BEGINS: ReadonlySet<string> = new Set<keyof Kernel>(['start', 'resume']);

export const runtimeClosed = (): SallyportError =>
  new SallyportError('runtime_closed', 'The runtime is closed. Open another.', {});
