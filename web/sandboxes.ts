import { deferred } from '../workers/async.ts';
import type { Greeting } from '../workers/lock/greeting.ts';
import { lifeEnds } from '../workers/lock/life.ts';
import { crossed, transfer } from '../workers/lock/realm-port.ts';
import type { SpawnWorker, WorkerEnded } from '../workers/sandbox/page.ts';
import { type StartedWorker, startWorker } from './worker.ts';

/** Tells this page's workers from those of other pages. */
const PAGE = Math.random().toString(36).slice(2);
/** Sandboxes of this page so far, over all runtimes: two workers of one name would wait for one lock. */
let launched = 0;

/** The engine, as far as the sandboxes need it. */
interface EngineBytes {
  readonly bytes: () => Promise<ArrayBuffer>;
}

export interface PageSandboxes {
  /** Results in `build_mismatch`, or in `worker_blocked` where the worker cannot run or lost its lock. */
  readonly spawn: SpawnWorker;
  /** What the first worker found of its lock. */
  readonly probes: Promise<SandboxGreeting['probes']>;
  /** Rejects with these codes if the first worker cannot start; pending otherwise. */
  readonly failed: Promise<never>;
  readonly kill: (id: number) => void;
  readonly ended: WorkerEnded;
  readonly killAll: () => void;
}

/** `isHeld`: the worker holds a lock as long as it lives. */
type SandboxGreeting = Required<Greeting> & { readonly isHeld: boolean };
type LaunchedWorker = Pick<StartedWorker<SandboxGreeting>, 'met' | 'failed'> & {
  readonly ready: ReturnType<SpawnWorker>;
};

/**
 * The page's part in the sandbox: it makes and ends the workers that the kernel asks for, and sees no message of a
 * guest. The first worker starts at once, beside the kernel, which asks for it when it has started. Each worker tests
 * its own lock: a worker that starts days later may come without its header.
 */
export function openSandboxes(engine: EngineBytes, url: string): PageSandboxes {
  // each by the number that the kernel knows it by; a page may run for days, and end many
  const workers = new Map<number, Pick<Worker, 'terminate'> & { readonly ended: Promise<string> }>();
  const kill = (id: number): void => {
    workers.get(id)?.terminate();
    workers.delete(id);
  };
  const launch = (): LaunchedWorker => {
    const id = launched++;
    const bytes = engine.bytes();
    const name = `sallyport-sandbox-${id}-${PAGE}`;
    const { met, failed, terminate } = startWorker<SandboxGreeting>(url, name, { beside: bytes });
    const ended = deferred<string>();
    const end = () => {
      terminate();
      ended.resolve('it was ended');
    };
    workers.set(id, { terminate: end, ended: ended.promise });
    failed.catch(() => ended.resolve('its script failed'));
    const live = async (): Promise<void> => {
      if (!(await met).greeting.isHeld) return;
      await lifeEnds(name);
      ended.resolve('it ended by itself');
    };
    live().catch(() => undefined);
    const { port1, port2 } = new MessageChannel();
    const begin = async (): Promise<void> => {
      // a worker of another build, or without its lock, gets no port, and so no guest
      const { worker } = await met;
      // each compiles for itself: a page whose policy allows no WebAssembly may not even pass a compiled engine on
      worker.postMessage({ engine: { wasm: await bytes }, port: port2 }, [port2]);
    };
    const start = async () => {
      await Promise.race([begin(), failed]).catch((error: unknown) => {
        kill(id);
        throw error;
      });
      return { id, port: port1 };
    };
    // The kernel is told of a failure when it asks.
    const ready = crossed(start).then((started) => (started.ok ? transfer(started, [port1]) : started));
    ready.catch(() => undefined);
    return { ready, met, failed };
  };
  const first = launch();
  let waiting: LaunchedWorker | undefined = first;
  const spawn: SpawnWorker = () => {
    const { ready } = waiting ?? launch();
    waiting = undefined;
    return ready;
  };
  const ended: WorkerEnded = async (id) => workers.get(id)?.ended ?? 'it was ended';
  const probes = first.met.then(({ greeting }) => greeting.probes);
  probes.catch(() => undefined);
  return { spawn, probes, failed: first.failed, kill, ended, killAll: () => workers.forEach((_, id) => kill(id)) };
}
