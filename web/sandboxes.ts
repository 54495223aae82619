import { transfer } from 'comlink';
import type { SpawnWorker } from '../workers/kernel/host.ts';
import { startWorker } from './worker.ts';

/** The engine, as far as the sandboxes need it. */
interface EngineBytes {
  readonly bytes: () => Promise<ArrayBuffer>;
}

export interface PageSandboxes {
  readonly spawn: SpawnWorker;
  /** Rejects if the script of the first worker cannot run; pending otherwise. `worker_blocked`. */
  readonly failed: Promise<never>;
  readonly kill: (id: number) => void;
  readonly killAll: () => void;
}

interface LaunchedWorker {
  readonly ready: ReturnType<SpawnWorker>;
  readonly failed: Promise<never>;
}

/**
 * The page's part in the sandbox: it makes and ends the workers that the kernel asks for, and sees no message of a
 * guest. The first worker starts at once, beside the kernel, which asks for it when it has started.
 */
export function openSandboxes(engine: EngineBytes, url: string): PageSandboxes {
  // each by the number that the kernel knows it by; a page may run for days, and end many
  const workers = new Map<number, Worker>();
  let made = 0;
  const kill = (id: number): void => {
    workers.get(id)?.terminate();
    workers.delete(id);
  };
  const launch = (): LaunchedWorker => {
    const id = made++;
    const bytes = engine.bytes();
    const { worker, failed } = startWorker(url, `sallyport-sandbox-${id}`, bytes);
    workers.set(id, worker);
    const { port1, port2 } = new MessageChannel();
    const started = new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
    const begin = async (): Promise<unknown> => {
      // each compiles for itself: a page whose policy allows no WebAssembly may not even pass a compiled engine on
      worker.postMessage({ engine: { wasm: await bytes }, port: port2 }, [port2]);
      return started;
    };
    const start = async () => {
      await Promise.race([begin(), failed]).catch((error: unknown) => {
        kill(id);
        throw error;
      });
      return transfer({ id, port: port1 }, [port1]);
    };
    // a worker that has started no longer fails to start
    const unable = Promise.race([failed, started.then(() => new Promise<never>(() => {}))]);
    const ready = start();
    // The kernel is told of a failure when it asks.
    for (const each of [ready, unable]) each.catch(() => undefined);
    return { ready, failed: unable };
  };
  const first = launch();
  let waiting: LaunchedWorker | undefined = first;
  const spawn: SpawnWorker = () => {
    const { ready } = waiting ?? launch();
    waiting = undefined;
    return ready;
  };
  return { spawn, failed: first.failed, kill, killAll: () => workers.forEach((_, id) => kill(id)) };
}
