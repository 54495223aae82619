import { proxy, wrap } from 'comlink';
import type { Runtime, RuntimeOptions } from '../workers/api.ts';
import { disposable } from '../workers/async/dispose.ts';
import { ownProperties } from '../workers/async/own-properties.ts';
import { assertPageOptions } from '../workers/client/apply-options.ts';
import { openClient } from '../workers/client/client.ts';
import type { Kernel } from '../workers/kernel/api.ts';
import type { Boot, KernelHost, TellShare } from '../workers/kernel/host.ts';
import { kernelBehindPort, type RemoteKernel } from '../workers/kernel/run-ports.ts';
import { type StartedAuditor, startAuditor } from './auditor.ts';
import { type Assets, assetsIn, fetchEngine, schemaScripts } from './engine.ts';
import { openSandboxes, type PageSandboxes } from './sandboxes.ts';
import { startWorker } from './worker.ts';

export interface PageOptions extends RuntimeOptions {
  /** Place of the ledger: this origin's IndexedDB, or memory only. */
  readonly store?: 'browser' | 'memory';
  /** Folder of this origin with the package's `worker-*.js` and `quickjs.wasm`, where no bundler placed them. */
  readonly assets?: string;
  /**
   * Receives the share of a long opening that is done, from 0 to 1: a ledger of an earlier version is carried over to
   * private files, or a lost index is filled from them. A short opening tells none.
   */
  readonly onProgress?: (share: number) => void;
}

/**
 * Opens a runtime for this page. The page starts every worker and hands in the engine's bytes, because the kernel's
 * lock forbids the kernel to do either. Rejects with `SallyportError`.
 */
export async function openRuntime(given: PageOptions = {}): Promise<Runtime> {
  const own = ownProperties(given);
  assertPageOptions(own);
  const { store = 'browser', assets: folder, onProgress = () => undefined, ...options } = own;
  const assets = assetsIn(folder);
  const { kernel, sandboxes, end } = await startKernel(assets, store, onProgress);
  let audit: Promise<StartedAuditor> | undefined;
  const auditor = async () => {
    audit ??= startAuditor(assets.auditor, runtime.info.isolation, sandboxes);
    // the next check tries again to start it
    audit.catch(() => (audit = undefined));
    return (await audit).auditor;
  };
  const runtime = await openClient(kernel, auditor, options, proxy).catch((error: unknown) => {
    end();
    throw error;
  });
  const settle = (): void => void (document.visibilityState === 'hidden' && kernel.settle());
  document.addEventListener('visibilitychange', settle);
  const close = async () => {
    document.removeEventListener('visibilitychange', settle);
    await runtime.close();
    end();
    void audit?.then(
      (started) => started.close(),
      () => undefined,
    );
  };
  const { ledger, storage } = runtime;
  const exportRun: typeof ledger.export = (run_id, how) => {
    // an export means that the person wants the data kept; the browser may ask the person, or never answer
    storage.persist().catch(() => undefined);
    return ledger.export(run_id, how);
  };
  return disposable({ ...runtime, ledger: { ...ledger, export: exportRun }, close });
}

interface StartedKernel {
  readonly kernel: Kernel;
  readonly sandboxes: PageSandboxes;
  readonly end: () => void;
}

/**
 * Starts the kernel and the first sandbox while the engine loads. The kernel does not wait for all of the engine, which
 * it needs for a call. Where both fail, the error tells of the engine.
 */
async function startKernel(assets: Assets, store: Boot['store'], tell: TellShare): Promise<StartedKernel> {
  const engine = fetchEngine(assets.engine);
  let end = (): void => undefined;
  try {
    const sandboxes = openSandboxes(engine, assets.sandbox);
    const { spawn, kill, killAll } = sandboxes;
    end = killAll;
    const { worker, failed } = startWorker(assets.kernel, 'sallyport-kernel', engine.bytes());
    end = () => {
      killAll();
      worker.terminate();
    };
    const boot = { store, development: import.meta.env.DEV };
    const booting = wrap<KernelHost>(worker).boot(boot, proxy(spawn), proxy(kill), proxy(schemaScripts), proxy(tell));
    const [kernel] = await Promise.all([Promise.race([booting, failed, sandboxes.failed]), engine.found]);
    return { kernel: kernelBehindPort(kernel as unknown as RemoteKernel), sandboxes, end };
  } catch (error) {
    end();
    await engine.found;
    throw error;
  }
}
