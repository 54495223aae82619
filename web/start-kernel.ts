import { unlessAborted } from '../workers/async.ts';
import type { Boot, KernelHost, KernelPage } from '../workers/kernel/host.ts';
import { methodsAt, portOf } from '../workers/lock/realm-port.ts';
import type { TellShare } from '../workers/ports.ts';
import { type Assets, fetchEngine, schemaScripts } from './engine.ts';
import { openSandboxes, type PageSandboxes } from './sandboxes.ts';
import { startWorker } from './worker.ts';

/** A kernel that takes calls, and what the page holds for it. */
export interface StartedKernel {
  /** The port that serves the kernel. */
  readonly port: MessagePort;
  readonly sandboxes: PageSandboxes;
  /** Address of the auditor's worker, which the page starts with the first check. */
  readonly auditor: string;
  /** Ends the workers. */
  readonly end: () => void;
}

interface StartKernelOptions {
  /** As in `PageOptions`. */
  readonly database?: string;
  /** The engine is fetched from the moment in which this resolves. */
  readonly begin?: Promise<unknown>;
  /** Ends the workers until the kernel takes calls; the start then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Starts the kernel and the first sandbox while the engine loads. The kernel does not wait for all of the engine, which
 * it needs for a call. Where both fail, the error tells of the engine.
 */
export async function startKernel(
  assets: Assets,
  store: Boot['store'],
  tell: TellShare,
  { begin, database, signal }: StartKernelOptions = {},
): Promise<StartedKernel> {
  const engine = fetchEngine(assets.engine, begin);
  let end = (): void => undefined;
  const start = async (): Promise<StartedKernel> => {
    const sandboxes = openSandboxes(engine, assets.sandbox);
    const { spawn, kill, ended, killAll, probes } = sandboxes;
    end = killAll;
    const { met, failed, terminate } = startWorker(assets.kernel, 'sallyport-kernel', { beside: engine.bytes() });
    end = () => {
      killAll();
      terminate();
    };
    const boot = { store, database: nameOf(database), development: import.meta.env.DEV };
    const { worker } = await Promise.race([met, sandboxes.failed]);
    const host = methodsAt<KernelHost>(worker, { boot: true });
    const methods = { spawn, kill, ended, scripts: schemaScripts, tell, sandboxProbes: () => probes };
    const booting = host.boot(boot, portOf<KernelPage>(methods));
    const [port] = await Promise.all([Promise.race([booting, failed, sandboxes.failed]), engine.found]);
    return { port, sandboxes, auditor: assets.auditor, end };
  };
  try {
    return await unlessAborted(start(), signal);
  } catch (error) {
    end();
    if (!signal?.aborted) await engine.found;
    throw error;
  }
}

/** A point stands in no name that a program gives, so no ledger has the name of another's key or images. */
function nameOf(database: string | undefined): string {
  return database === undefined ? 'sallyport' : `sallyport.${database}`;
}
