import { proxy, wrap } from 'comlink';
import type { Runtime, RuntimeOptions } from '../workers/api.ts';
import { disposable } from '../workers/async/dispose.ts';
import { ownProperties } from '../workers/async/own-properties.ts';
import { openClient } from '../workers/client/client.ts';
import type { Kernel } from '../workers/kernel/api.ts';
import type { KernelHost } from '../workers/kernel/host.ts';
import { type StartedAuditor, startAuditor } from './auditor.ts';
import { assetsIn, fetchEngine, schemaScripts } from './engine.ts';
import { openSandboxes } from './sandboxes.ts';
import { startWorker } from './worker.ts';

export interface PageOptions extends RuntimeOptions {
  /** Place of the ledger: this origin's IndexedDB, or memory only. */
  readonly store?: 'browser' | 'memory';
  /** Folder of this origin with the package's `worker-*.js` and `quickjs.wasm`, where no bundler placed them. */
  readonly assets?: string;
}

/**
 * Opens a runtime for this page. The page starts every worker and hands in the engine's bytes, because the kernel's
 * lock forbids the kernel to do either. Rejects with `SallyportError`.
 */
export async function openRuntime(given: PageOptions = {}): Promise<Runtime> {
  const { store = 'browser', assets: folder, ...options } = ownProperties(given);
  const assets = assetsIn(folder);
  const wasm = await fetchEngine(assets.engine);
  const { worker, failed } = startWorker(assets.kernel, 'sallyport-kernel');
  const sandboxes = openSandboxes(wasm, assets.sandbox);
  const boot = { store, development: import.meta.env.DEV };
  const { spawn, kill } = sandboxes;
  const booting = wrap<KernelHost>(worker).boot(boot, proxy(spawn), proxy(kill), proxy(schemaScripts));
  const kernel = (await Promise.race([booting, failed])) as unknown as Kernel;
  let audit: Promise<StartedAuditor> | undefined;
  const auditor = async () => {
    audit ??= startAuditor(assets.auditor, runtime.info.isolation, sandboxes);
    // the next check tries again to start it
    audit.catch(() => (audit = undefined));
    return (await audit).auditor;
  };
  const end = () => {
    sandboxes.killAll();
    worker.terminate();
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
