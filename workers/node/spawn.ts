import { MessageChannel, Worker, type WorkerOptions } from 'node:worker_threads';
import { createEngine, type EngineSource } from '../../sandbox/index.ts';
import type { Spawn, Spawned } from '../sandbox/port.ts';
import threadUrl from '../sandbox/thread.ts?thread';
import { readWasm } from './wasm.ts';

/** Threads get no environment, no arguments and no standard input; their output is discarded. */
const OPTIONS: WorkerOptions = { env: {}, argv: [], execArgv: [], stdin: false, stdout: true, stderr: true };

/** Sandbox workers of Node: threads, which end at once when they are terminated. */
export function nodeSpawn(engine: EngineSource): Spawn {
  return {
    spawn: () => {
      const { port1, port2 } = new MessageChannel();
      const workerData = { engine, port: port2 };
      const worker = new Worker(threadUrl, { ...OPTIONS, workerData, transferList: [port2] });
      const ended = new Promise<string>((resolve) => {
        worker.once('error', (error: Error) => resolve(error.message));
        worker.once('exit', (code) => resolve(`exit code ${code}`));
      });
      // Node's port has all of the browser's methods that `realm-port.ts` uses.
      const port = port1 as unknown as MessagePort;
      const rest = () => {
        worker.unref();
        port1.unref();
      };
      return Promise.resolve<Spawned>({ port, terminate: () => worker.terminate(), rest, ended });
    },
  };
}

/** The engine from the installed package, checked and compiled a single time for all threads. */
export async function nodeEngine(): Promise<EngineSource> {
  const { module, wasmHash } = await createEngine({ wasm: await readWasm() });
  return { module, wasmHash };
}
