import type { Runtime, RuntimeOptions } from '../workers/api.ts';
import { disposable } from '../workers/async.ts';
import type { AuditorHost } from '../workers/auditor/auditor.ts';
import { assertPageOptions } from '../workers/client/apply-options.ts';
import { openClient } from '../workers/client/client.ts';
import { kernelAt } from '../workers/client/kernel-port.ts';
import { loadParts } from '../workers/load-part.ts';
import { type MethodNames, methodsAt, portOf } from '../workers/lock/realm-port.ts';
import { ownProperties } from '../workers/own-properties.ts';
import type { SandboxHost } from '../workers/sandbox/page.ts';
import { assetsIn, schemaScripts } from './engine.ts';
import type { PageSandboxes } from './sandboxes.ts';
import { whenIdle } from './shared/idle.ts';
import { type StartedKernel, startKernel } from './start-kernel.ts';
import { startWorker } from './worker.ts';

export interface PageOptions extends RuntimeOptions {
  /** Place of the ledger: this origin's IndexedDB, or memory only. */
  readonly store?: 'browser' | 'memory';
  /**
   * Name of the ledger in this origin; absent, that of all pages that name none. Ledgers of two names share no record, no key
   * and no lock. Small letters, digits and `_`, at most 40.
   */
  readonly database?: string;
  /** Folder of this origin with the package's `worker-*.js` and `quickjs.wasm`, where no bundler placed them. */
  readonly assets?: string;
  /**
   * Receives the share of a long opening that is done, from 0 to 1: a lost index is filled from the private files. A short opening tells none.
   */
  readonly onProgress?: (share: number) => void;
}

/**
 * Opens a runtime for this page. The page starts every worker and hands in the engine's bytes, because the kernel's
 * lock forbids the kernel to do either. Rejects with `SallyportError`.
 */
export function openRuntime(given: PageOptions = {}): Promise<Runtime> {
  return openFrom(given, startKernel);
}

/** As `openRuntime`, over the kernel that `start` gives for the same options. */
export async function openFrom(given: PageOptions, start: typeof startKernel): Promise<Runtime> {
  const own = ownProperties(given);
  assertPageOptions(own);
  const { store = 'browser', database, assets, onProgress = () => undefined, ...options } = own;
  const { signal } = options;
  signal?.throwIfAborted();
  const how = { ...(database !== undefined && { database }), ...(signal && { signal }) };
  return openOver(start(assetsIn(assets), store, onProgress, how), options);
}

/** Opens a runtime over a kernel that is starting, and owns the kernel from then on. */
export async function openOver(starting: Promise<StartedKernel>, options: RuntimeOptions): Promise<Runtime> {
  const { port, sandboxes, auditor: url, end } = await starting;
  const kernel = kernelAt(port);
  let audit: Promise<StartedAuditor> | undefined;
  const auditor = async () => {
    audit ??= startAuditor(url, sandboxes);
    // the next check tries again to start it
    audit.catch(() => (audit = undefined));
    return (await audit).auditor;
  };
  const runtime = await openClient(kernel, auditor, options).catch((error: unknown) => {
    end();
    throw error;
  });
  // a deploy may take them away under the open page
  whenIdle(() => void loadParts());
  const settle = (): void => void (document.visibilityState === 'hidden' && kernel.settle());
  document.addEventListener('visibilitychange', settle);
  const close: Runtime['close'] = async (how) => {
    document.removeEventListener('visibilitychange', settle);
    await runtime.close(how);
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

const AUDITOR: MethodNames<AuditorHost> = {
  boot: true,
  check: true,
  progress: true,
  verify: true,
  unsigned: true,
  giveUp: true,
};

interface StartedAuditor {
  readonly auditor: AuditorHost;
  readonly close: () => void;
}

/**
 * Starts the worker that reads exports. The server sends it with the headers of the kernel's worker. Where it is less
 * locked than the kernel and its sandbox, it gets no export to read: `worker_blocked`.
 */
async function startAuditor(url: string, { spawn, kill, ended }: PageSandboxes): Promise<StartedAuditor> {
  const { met, failed, terminate: close } = startWorker(url, 'sallyport-auditor');
  try {
    const auditor = methodsAt((await met).worker, AUDITOR);
    const page = portOf<SandboxHost>({ spawn, kill, ended, scripts: schemaScripts });
    await Promise.race([auditor.boot(page), failed]);
    return { auditor, close };
  } catch (error) {
    close();
    throw error;
  }
}
