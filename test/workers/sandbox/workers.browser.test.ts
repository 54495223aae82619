import { beforeAll } from 'vitest';
import type { Spawn } from '../../../workers/sandbox/port.ts';
import script from '../../../workers/sandbox/worker.ts?script';
import { finishedWorker } from '../../finished-worker.ts';
import { engine } from '../../sandbox/guest.ts';
import { poolSuite } from './pool-suite.ts';

/** What the page does for the kernel: only it may start workers. */
async function pageSpawn(): Promise<Spawn> {
  const { module, wasmHash } = await engine();
  return {
    spawn: async () => {
      const worker = finishedWorker(script);
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ engine: { module, wasmHash }, port: port2 }, [port2]);
      return { port: port1, terminate: () => worker.terminate() };
    },
  };
}

// Instances of earlier tests in this page keep address space until they are collected, and a worker that finds none
// cannot have the page collect them.
beforeAll(() => (globalThis as { readonly gc?: () => void }).gc?.());

poolSuite(pageSpawn);
