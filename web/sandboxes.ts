import { type Isolation, SallyportError } from '../core/index.ts';
import type { SandboxGreeting, SpawnWorker } from '../workers/kernel/host.ts';
import { isLockedAs, isolationOf } from '../workers/lock/isolation.ts';
import { transfer } from '../workers/lock/realm-port.ts';
import { startWorker } from './worker.ts';

/** The engine, as far as the sandboxes need it. */
interface EngineBytes {
  readonly bytes: () => Promise<ArrayBuffer>;
}

export interface PageSandboxes {
  /** Rejects with `worker_blocked` where the worker cannot run, or is less locked than the first worker. */
  readonly spawn: SpawnWorker;
  /** What the first worker found of its lock. */
  readonly probes: Promise<SandboxGreeting['probes']>;
  /** Rejects if the script of the first worker cannot run; pending otherwise. `worker_blocked`. */
  readonly failed: Promise<never>;
  readonly kill: (id: number) => void;
  readonly killAll: () => void;
}

interface LaunchedWorker {
  readonly ready: ReturnType<SpawnWorker>;
  readonly greeted: Promise<SandboxGreeting>;
  readonly failed: Promise<never>;
}

/**
 * The page's part in the sandbox: it makes and ends the workers that the kernel asks for, and sees no message of a
 * guest. The first worker starts at once, beside the kernel, which asks for it when it has started. Each worker tests
 * its own lock: a worker that starts days later may come without its header.
 */
export function openSandboxes(engine: EngineBytes, url: string): PageSandboxes {
  // each by the number that the kernel knows it by; a page may run for days, and end many
  const workers = new Map<number, Worker>();
  let made = 0;
  let isolation: Isolation | undefined;
  const kill = (id: number): void => {
    workers.get(id)?.terminate();
    workers.delete(id);
  };
  const assertLocked = ({ probes }: SandboxGreeting): void => {
    const found = isolationOf(probes, import.meta.env.DEV);
    isolation ??= found;
    if (isLockedAs(isolation, found)) return;
    const what = `The sandbox is not ${isolation} as the first sandbox is: ${found}. Serve ${url} with its header.`;
    throw new SallyportError('worker_blocked', what, { url });
  };
  const launch = (): LaunchedWorker => {
    const id = made++;
    const bytes = engine.bytes();
    const { worker, failed } = startWorker(url, `sallyport-sandbox-${id}`, bytes);
    workers.set(id, worker);
    const { port1, port2 } = new MessageChannel();
    const greeted = new Promise<SandboxGreeting>((resolve) =>
      worker.addEventListener('message', ({ data }: MessageEvent<SandboxGreeting>) => resolve(data), { once: true }),
    );
    const begin = async (): Promise<void> => {
      // a worker without its lock gets no port, and so no guest
      assertLocked(await greeted);
      // each compiles for itself: a page whose policy allows no WebAssembly may not even pass a compiled engine on
      worker.postMessage({ engine: { wasm: await bytes }, port: port2 }, [port2]);
    };
    const start = async () => {
      await Promise.race([begin(), failed]).catch((error: unknown) => {
        kill(id);
        throw error;
      });
      return transfer({ id, port: port1 }, [port1]);
    };
    // a worker that has started no longer fails to start
    const unable = Promise.race([failed, greeted.then(() => new Promise<never>(() => {}))]);
    const ready = start();
    // The kernel is told of a failure when it asks.
    for (const each of [ready, unable]) each.catch(() => undefined);
    return { ready, greeted, failed: unable };
  };
  const first = launch();
  let waiting: LaunchedWorker | undefined = first;
  const spawn: SpawnWorker = () => {
    const { ready } = waiting ?? launch();
    waiting = undefined;
    return ready;
  };
  const probes = first.greeted.then((greeting) => greeting.probes);
  return { spawn, probes, failed: first.failed, kill, killAll: () => workers.forEach((_, id) => kill(id)) };
}
