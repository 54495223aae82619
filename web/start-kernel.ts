import { proxy, wrap } from 'comlink';
import type { Boot, KernelHost, TellShare } from '../workers/kernel/host.ts';
import type { RemoteKernel } from '../workers/kernel/run-ports.ts';
import { type Assets, fetchEngine, schemaScripts } from './engine.ts';
import { openSandboxes, type PageSandboxes } from './sandboxes.ts';
import { startWorker } from './worker.ts';

/** A kernel that takes calls, and what the page holds for it. */
export interface StartedKernel {
  readonly kernel: RemoteKernel;
  readonly sandboxes: PageSandboxes;
  /** Address of the auditor's worker, which the page starts with the first check. */
  readonly auditor: string;
  /** Ends the workers. */
  readonly end: () => void;
}

/**
 * Starts the kernel and the first sandbox while the engine loads, from the moment `begin` resolves. The kernel does not
 * wait for all of the engine, which it needs for a call. Where both fail, the error tells of the engine.
 */
export async function startKernel(
  assets: Assets,
  store: Boot['store'],
  tell: TellShare,
  begin?: Promise<unknown>,
): Promise<StartedKernel> {
  const engine = fetchEngine(assets.engine, begin);
  let end = (): void => undefined;
  try {
    const sandboxes = openSandboxes(engine, assets.sandbox);
    const { spawn, kill, killAll, probes } = sandboxes;
    end = killAll;
    const { worker, failed } = startWorker(assets.kernel, 'sallyport-kernel', engine.bytes());
    end = () => {
      killAll();
      worker.terminate();
    };
    const boot = { store, development: import.meta.env.DEV };
    const booting = wrap<KernelHost>(worker).boot(
      boot,
      proxy(spawn),
      proxy(kill),
      proxy(schemaScripts),
      proxy(tell),
      proxy(() => probes),
    );
    const [kernel] = await Promise.all([Promise.race([booting, failed, sandboxes.failed]), engine.found]);
    return { kernel: kernel as unknown as RemoteKernel, sandboxes, auditor: assets.auditor, end };
  } catch (error) {
    end();
    await engine.found;
    throw error;
  }
}
