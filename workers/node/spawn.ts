import { basename } from 'node:path';
import { MessageChannel, Worker, type WorkerOptions } from 'node:worker_threads';
import { createEngine, type EngineSource } from '../../sandbox/index.ts';
import { buildFault, buildIn } from '../lock/greeting.ts';
import type { Spawn, WorkerEnd } from '../sandbox/port.ts';
import threadUrl from './sandbox-thread.ts?thread';
import { readWasm } from './wasm.ts';

/** Threads get no environment, no arguments and no standard input; their output is discarded. */
const OPTIONS: WorkerOptions = { env: {}, argv: [], execArgv: [], stdin: false, stdout: true, stderr: true };

/** Sandbox workers of Node: threads, which end at once when they are terminated. Rejects with `build_mismatch`. */
export function nodeSpawn(engine: EngineSource, file?: URL): Spawn {
  const thread = new URL(file ?? threadUrl);
  return {
    spawn: async () => {
      const { port1, port2 } = new MessageChannel();
      const workerData = { engine, port: port2 };
      const worker = new Worker(thread, { ...OPTIONS, workerData, transferList: [port2] });
      const ended = new Promise<WorkerEnd>((resolve) => {
        worker.once('error', ({ message, code }: NodeJS.ErrnoException) =>
          resolve({ isMemory: code === 'ERR_WORKER_OUT_OF_MEMORY', reason: message }),
        );
        worker.once('exit', (code) => resolve({ isMemory: false, reason: `exit code ${code}` }));
      });
      // Node's port has all of the browser's methods that `realm-port.ts` uses.
      const port = port1 as unknown as MessagePort;
      const rest = () => {
        worker.unref();
        port1.unref();
      };
      const greeting = new Promise<unknown>((resolve) => worker.once('message', resolve));
      const first = await Promise.race([greeting, ended.then(({ reason }) => Promise.reject(new Error(reason)))]);
      const fault = buildFault(buildIn(first), basename(thread.pathname));
      if (fault === undefined) return { port, terminate: () => worker.terminate(), rest, ended };
      void worker.terminate();
      throw fault;
    },
  };
}

/** The engine from the installed package, checked and compiled a single time for all threads. */
export async function nodeEngine(): Promise<EngineSource> {
  const { module, wasmHash } = await createEngine({ wasm: await readWasm() });
  return { module, wasmHash };
}
