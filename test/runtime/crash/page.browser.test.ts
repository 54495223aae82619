import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { openRuntime } from '../../../web/index.ts';
import kernelUrl from '../../../workers/kernel/worker.ts?worker&url';
import { IS_SHORT, isTried } from '../../cases.ts';
import dying from '../../workers/store/page/dying-files.ts?script';
import { CRASHES, compare, furnish, OPTIONS, send } from './table.ts';

const RealWorker = globalThis.Worker;
let script: string;
beforeAll(async () => {
  script = `${dying}\n${await (await fetch(kernelUrl)).text()}`;
});
afterEach(() => {
  globalThis.Worker = RealWorker;
});
afterAll(async () => {
  const runtime = await openRuntime();
  await runtime.storage.deleteEverything();
});

/** Starts the workers of a page that dies behind so many writes of a step: then all of them are gone. */
function dyingPage(writes: number): { readonly died: Promise<void> } {
  const workers: Worker[] = [];
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const died = new Promise<void>((resolve) => {
    globalThis.Worker = class extends RealWorker {
      constructor(asked: string | URL, options: WorkerOptions = {}) {
        const isKernel = options.name === 'sallyport-kernel';
        super(isKernel ? url : asked, isKernel ? { ...options, name: String(writes) } : options);
        workers.push(this);
        this.addEventListener('message', ({ data }) => {
          if (data !== 'died') return;
          for (const worker of workers) worker.terminate();
          URL.revokeObjectURL(url);
          resolve();
        });
      }
    };
  });
  return { died };
}

describe('a message whose page is closed', () => {
  test.each(CRASHES.filter((_, nth) => isTried(nth) && (!IS_SHORT || nth % 8 === 0)))(
    '$title, behind write $nth: the receipt of the next page has what had settled',
    async (crash) => {
      const { died } = dyingPage(crash.nth + 1);
      const first = await openRuntime(OPTIONS);
      await furnish(first);
      const run = send(first, crash.ops);
      await died;
      globalThis.Worker = RealWorker;
      const next = await openRuntime(OPTIONS);
      await compare(next, run.id, crash);
      await next.close();
    },
  );
});
