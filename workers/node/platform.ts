import { randomFillSync } from 'node:crypto';
import { basename } from 'node:path';
import { MessageChannel, Worker, type WorkerOptions } from 'node:worker_threads';
import { createEngine, type EngineSource } from '../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import { makeSigner, SIGNER } from '../auditor/checkpoint.ts';
import { buildFault, buildIn } from '../lock/greeting.ts';
import { makeNonces } from '../nonces.ts';
import type { Ports } from '../ports.ts';
import { NODE_KILLS } from '../sandbox/call-driver.ts';
import { Pool } from '../sandbox/pool.ts';
import type { Spawn, WorkerEnd } from '../sandbox/port.ts';
import { realmSchemas, SchemaMemory } from '../sandbox/schemas.ts';
import { useNodeHash } from './hash.ts';
import threadUrl from './sandbox-thread.ts?thread';
import { readWasm } from './wasm.ts';

useNodeHash();

const SCRIPTS = { compiler: SCHEMA_COMPILER, checker: SCHEMA_CHECKER };

/** Judgements and generated code of the runtimes of this process. */
const MEMORY = new SchemaMemory();

/** Read and compiled a single time for each process. */
let engine: Promise<EngineSource> | undefined;

/** Sandboxes in threads of their own, with their schema realms. */
export async function openSandboxes(): Promise<Pick<Ports, 'sandbox' | 'schemas'>> {
  const pool = new Pool(nodeSpawn(await (engine ??= nodeEngine())), { kills: NODE_KILLS });
  const schemas = realmSchemas(pool.realms, async () => SCRIPTS, MEMORY);
  return { sandbox: pool, schemas };
}

/** A key of this process: its signatures can be checked with the saved public key. */
let signer: ReturnType<typeof makeSigner> | undefined;

export const nodePorts: Pick<Ports, 'claim' | 'now' | 'random' | 'nonce' | 'signer'> = {
  signer: () => (signer ??= makeSigner(SIGNER)),
  // A process has a single ledger in its memory.
  claim: async () => () => undefined,
  now: () => Date.now(),
  random: () => Math.random(),
  nonce: makeNonces(randomFillSync),
};

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
