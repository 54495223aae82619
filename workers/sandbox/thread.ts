/** Entry of a sandbox worker in Node: the same as `worker.ts`, with the engine and the port as `workerData`. */
import { parentPort, workerData } from 'node:worker_threads';
import { greetingWith } from '../lock/greeting.ts';
import { useNodeHash } from '../node/hash.ts';
import type { SandboxStart } from './remote.ts';
import { serve } from './serve.ts';

useNodeHash();
const { port, engine } = workerData as SandboxStart;
serve(port, engine);
parentPort?.postMessage(greetingWith({}));
