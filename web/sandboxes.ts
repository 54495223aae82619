import { transfer } from 'comlink';
import type { SpawnWorker } from '../workers/kernel/host.ts';
import { startWorker } from './worker.ts';

export interface PageSandboxes {
  readonly spawn: SpawnWorker;
  readonly kill: (id: number) => void;
  readonly killAll: () => void;
}

/** The page's part in the sandbox: it makes and ends the workers the kernel asks for, and hears nothing of what guests do. */
export function openSandboxes(wasm: ArrayBuffer, url: string): PageSandboxes {
  // each by the number that the kernel knows it by
  const workers: Worker[] = [];
  let engine: { readonly wasm?: ArrayBuffer } = { wasm };
  const compiled = ({ data }: MessageEvent<object>) => (engine = data);
  const spawn: SpawnWorker = async () => {
    const id = workers.length;
    const { worker } = startWorker(url, `sallyport-sandbox-${id}`);
    const { port1, port2 } = new MessageChannel();
    // who compiles the engine does so for all, and says it before it has heard of any guest
    if (engine.wasm) worker.addEventListener('message', compiled, { once: true });
    worker.postMessage({ engine, port: port2 }, [port2]);
    workers.push(worker);
    return transfer({ id, port: port1 }, [port1]);
  };
  const kill = (id: number): void => workers[id]?.terminate();
  return { spawn, kill, killAll: () => workers.forEach((worker) => worker.terminate()) };
}
