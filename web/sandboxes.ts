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
  const workers = new Map<number, Worker>();
  let made = 0;
  const spawn: SpawnWorker = async () => {
    const id = made++;
    const { worker } = startWorker(url, `sallyport-sandbox-${id}`);
    const { port1, port2 } = new MessageChannel();
    // each compiles for itself: a page whose policy allows no WebAssembly may not even pass a compiled engine on
    worker.postMessage({ engine: { wasm }, port: port2 }, [port2]);
    workers.set(id, worker);
    return transfer({ id, port: port1 }, [port1]);
  };
  // a page may run for days, and end many
  const kill = (id: number): void => {
    workers.get(id)?.terminate();
    workers.delete(id);
  };
  return { spawn, kill, killAll: () => [...workers.keys()].forEach(kill) };
}
