/** Entry of a sandbox worker in Node: the same as `worker.ts`, with the engine and the port as `workerData`. */
import { parentPort, workerData } from 'node:worker_threads';
import { greetingWith } from '../lock/greeting.ts';
import type { SandboxStart } from '../sandbox/remote.ts';
import { serve } from '../sandbox/serve.ts';
import { useNodeHash } from './hash.ts';

useNodeHash();
const { port, engine } = workerData as SandboxStart;
serve(port, engine);
parentPort?.postMessage(greetingWith({}));
