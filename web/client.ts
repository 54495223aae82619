import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import { proxy, transfer, wrap } from 'comlink';
import { SallyportError } from '../core/index.ts';
import type { Runtime, RuntimeOptions } from '../workers/api.ts';
import { openClient } from '../workers/client.ts';
import type { KernelHost, SpawnWorker } from '../workers/kernel/host.ts';
import kernelUrl from '../workers/kernel/worker.ts?worker&url';
import type { Kernel } from '../workers/kernel.ts';
import sandboxUrl from '../workers/sandbox/worker.ts?worker&url';
import { startWorker } from './worker.ts';

export interface PageOptions extends RuntimeOptions {
  /** Where the ledger is kept: in this origin's IndexedDB, or nowhere. */
  readonly store?: 'browser' | 'memory';
  /** Folder of this origin with `worker-kernel.js`, `worker-sandbox.js` and `quickjs.wasm`, where no bundler placed them. */
  readonly assets?: string;
}

interface Assets {
  readonly kernel: string;
  readonly sandbox: string;
  readonly engine: string;
}

function assetsIn(folder: string | undefined): Assets {
  if (folder === undefined) return { kernel: kernelUrl, sandbox: sandboxUrl, engine: wasmUrl };
  const at = (name: string) => new URL(name, new URL(folder.replace(/\/?$/, '/'), document.baseURI)).href;
  return { kernel: at('worker-kernel.js'), sandbox: at('worker-sandbox.js'), engine: at('quickjs.wasm') };
}

/**
 * Opens a runtime for this page. The page starts every worker, because the kernel's lock forbids it to, and hands
 * in the engine's bytes, because nothing behind the lock can fetch them. Rejects with `SallyportError`.
 */
export async function openRuntime(options: PageOptions = {}): Promise<Runtime> {
  const assets = assetsIn(options.assets);
  const wasm = await fetchEngine(assets.engine);
  const { worker, failed } = startWorker(assets.kernel, 'sallyport-kernel');
  const sandboxes = openSandboxes(wasm, assets.sandbox);
  const boot = { store: options.store ?? 'browser', development: import.meta.env.DEV };
  const { spawn, kill } = sandboxes;
  const booting = wrap<KernelHost>(worker).boot(boot, proxy(spawn), proxy(kill), proxy(compilerScript));
  const kernel = (await Promise.race([booting, failed])) as unknown as Kernel;
  const runtime = await openClient(kernel, options, proxy);
  const settle = (): void => void (document.visibilityState === 'hidden' && kernel.settle());
  document.addEventListener('visibilitychange', settle);
  const close = async () => {
    document.removeEventListener('visibilitychange', settle);
    await runtime.close();
    sandboxes.killAll();
    worker.terminate();
  };
  const { ledger, storage } = runtime;
  const exportRun: typeof ledger.export = (run_id, how) => {
    // whoever takes something away wants it kept; the answer may be a question to the person, or never come
    storage.persist().catch(() => undefined);
    return ledger.export(run_id, how);
  };
  return { ...runtime, ledger: { ...ledger, export: exportRun }, close };
}

async function fetchEngine(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (response.ok) return response.arrayBuffer();
  throw new SallyportError('engine_missing', `The engine could not be loaded: ${response.status} for ${url}.`, { url });
}

/** ajv, as text for a realm of its own: loaded with the first schema that is registered at run time. */
async function compilerScript(): Promise<string> {
  const { SCHEMA_COMPILER } = await import('../sandbox/schema/compiler.generated.ts');
  return SCHEMA_COMPILER;
}

/** The page's part in the sandbox: it makes and ends the workers the kernel asks for, and hears nothing of what they do. */
function openSandboxes(wasm: ArrayBuffer, url: string) {
  const workers = new Map<number, Worker>();
  let made = 0;
  const spawn: SpawnWorker = async () => {
    const id = made++;
    const { worker } = startWorker(url, `sallyport-sandbox-${id}`);
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ engine: { wasm }, port: port2 }, [port2]);
    workers.set(id, worker);
    return transfer({ id, port: port1 }, [port1]);
  };
  const kill = (id: number): void => {
    workers.get(id)?.terminate();
    workers.delete(id);
  };
  return { spawn, kill, killAll: () => [...workers.keys()].forEach(kill) };
}
