import { transfer } from 'comlink';
import type { SpawnWorker } from '../workers/kernel/host.ts';
import { startWorker } from './worker.ts';

export interface PageSandboxes {
  readonly spawn: SpawnWorker;
  readonly kill: (id: number) => void;
  readonly killAll: () => void;
}

/**
 * The page's part in the sandbox: it makes and ends the workers that the kernel asks for, and sees no message of a
 * guest. The first worker starts at once, beside the kernel, which asks for it when it has started.
 */
export function openSandboxes(engine: Promise<ArrayBuffer>, url: string): PageSandboxes {
  // each by the number that the kernel knows it by; a page may run for days, and end many
  const workers = new Map<number, Worker>();
  let made = 0;
  const kill = (id: number): void => {
    workers.get(id)?.terminate();
    workers.delete(id);
  };
  const start: SpawnWorker = async () => {
    const id = made++;
    const { worker, failed } = startWorker(url, `sallyport-sandbox-${id}`, engine);
    workers.set(id, worker);
    const { port1, port2 } = new MessageChannel();
    const started = new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
    const begin = async (): Promise<unknown> => {
      // each compiles for itself: a page whose policy allows no WebAssembly may not even pass a compiled engine on
      worker.postMessage({ engine: { wasm: await engine }, port: port2 }, [port2]);
      return started;
    };
    await Promise.race([begin(), failed]).catch((error: unknown) => {
      kill(id);
      throw error;
    });
    return transfer({ id, port: port1 }, [port1]);
  };
  let first: ReturnType<SpawnWorker> | undefined = start();
  // The kernel is told of a failure when it asks.
  first.catch(() => undefined);
  const spawn: SpawnWorker = () => {
    const ready = first ?? start();
    first = undefined;
    return ready;
  };
  return { spawn, kill, killAll: () => workers.forEach((_, id) => kill(id)) };
}
