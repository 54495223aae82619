import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import { transfer } from 'comlink';
import { SallyportError } from '../core/index.ts';
import auditorUrl from '../workers/auditor/worker.ts?worker&url';
import type { LoadSchemaScripts, SpawnWorker } from '../workers/kernel/host.ts';
import kernelUrl from '../workers/kernel/worker.ts?worker&url';
import sandboxUrl from '../workers/sandbox/worker.ts?worker&url';
import { startWorker } from './worker.ts';

/** Where a page finds what it starts its workers with. */
interface Assets {
  readonly kernel: string;
  readonly sandbox: string;
  readonly auditor: string;
  readonly engine: string;
}

/** `folder` is the option `assets`: absent, the bundler's places. */
export function assetsIn(folder: string | undefined): Assets {
  if (folder === undefined) return { kernel: kernelUrl, sandbox: sandboxUrl, auditor: auditorUrl, engine: wasmUrl };
  const at = (name: string) => new URL(name, new URL(folder.replace(/\/?$/, '/'), document.baseURI)).href;
  const worker = (name: string) => at(`worker-${name}.js`);
  const [kernel, sandbox, auditor] = [worker('kernel'), worker('sandbox'), worker('auditor')];
  return { kernel, sandbox, auditor, engine: at('quickjs.wasm') };
}

/** The bytes of the engine, which workers behind the lock cannot fetch. `engine_missing`. */
export async function fetchEngine(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (response.ok) return response.arrayBuffer();
  throw new SallyportError('engine_missing', `The engine could not be loaded: ${response.status} for ${url}.`, { url });
}

/** ajv and what checks, as text for realms of their own: loaded with the first schema that is registered at run time. */
export const schemaScripts: LoadSchemaScripts = async () => {
  const [{ SCHEMA_COMPILER: compiler }, { SCHEMA_CHECKER: checker }] = await Promise.all([
    import('../sandbox/schema/compiler.generated.ts'),
    import('../sandbox/schema/checker.generated.ts'),
  ]);
  return { compiler, checker };
};

export interface PageSandboxes {
  readonly spawn: SpawnWorker;
  readonly kill: (id: number) => void;
  readonly killAll: () => void;
}

/** The page's part in the sandbox: it makes and ends the workers the kernel asks for, and hears nothing of what they do. */
export function openSandboxes(wasm: ArrayBuffer, url: string): PageSandboxes {
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
