import { beforeAll } from 'vitest';
import type { Spawn } from '../../../workers/sandbox/port.ts';
import script from '../../../workers/sandbox/worker.ts?script';
import { IS_SHORT } from '../../cases.ts';
import { finishedWorker } from '../../finished-worker.ts';
import { engine } from '../../sandbox/guest.ts';
import { poolSuite } from './pool-suite.ts';

/** Starts sandbox workers from the page, because only a page may start workers. */
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

// Engine instances of earlier tests keep address space until the page collects them. A worker that finds no address
// space cannot start that collection.
beforeAll(() => (globalThis as { readonly gc?: () => void }).gc?.());

// The suite of Node asks the rest; `test:long` asks all of it here, too.
poolSuite(pageSpawn, { ofWorkers: IS_SHORT });
