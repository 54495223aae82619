import { describe, expect, it } from 'vitest';
import { installFailure } from '../../../web/selftest/page-parts.ts';
import { DeviceTest, type TestPlace, tryPart } from '../../../web/selftest/parts.ts';
import { deferred } from '../../../workers/async.ts';
import type { Runtime } from '../../../workers/node.ts';

/** A place whose ledger is deleted only where no second runtime has it open, as that of a page. */
function makePlace() {
  const [open, counts] = [new Set<object>(), { deleted: 0 }];
  const make = async (): Promise<Runtime> => {
    const runtime = {
      close: async () => void open.delete(runtime),
      storage: {
        async deleteEverything() {
          if (open.size > 1) throw new Error('store_busy');
          open.delete(runtime);
          counts.deleted += 1;
        },
      },
    };
    open.add(runtime);
    return runtime as unknown as Runtime;
  };
  const place: TestPlace = { isShared: true, open: make, openInMemory: make };
  return { place, open, counts };
}

describe('a test of a device that is canceled', () => {
  it('deletes its ledger where a part still has a second runtime, and leaves none open', async () => {
    const { place, open, counts } = makePlace();
    const controller = new AbortController();
    const test = new DeviceTest(place, controller.signal);
    const { promise: never } = deferred<never>();
    const part = tryPart('locks', () => Promise.all([test.runtime(), test.another()]).then(() => never), test);
    await new Promise((resolve) => setTimeout(resolve));
    controller.abort();
    expect(await part).toMatchObject({ outcome: 'not_tried', reason: 'canceled' });
    await test.cleanUp();
    expect([open.size, counts.deleted]).toEqual([0, 1]);
  });

  it('opens no runtime behind its end for a part that goes on', async () => {
    const { place, open } = makePlace();
    const test = new DeviceTest(place, new AbortController().signal);
    await test.runtime();
    await test.close();
    await test.cleanUp();
    await expect(test.runtime()).rejects.toMatchObject({ reason: 'canceled' });
    expect(open.size).toBe(0);
  });

  it('gives its ledger back where another page has it open, so that the other can delete it', async () => {
    const { place, open, counts } = makePlace();
    const [one, other] = [1, 2].map(() => new DeviceTest(place, new AbortController().signal));
    await Promise.all([one?.runtime(), other?.runtime()]);
    await expect(one?.cleanUp()).rejects.toThrow('store_busy');
    await other?.cleanUp();
    expect([open.size, counts.deleted]).toEqual([0, 1]);
  });
});

it('a service worker that cannot keep the files of the page ends the wait, unless an earlier one keeps them', async () => {
  const outcomes = [null, {} as ServiceWorker].map(async (active) => {
    const installing = Object.assign(new EventTarget(), { state: 'redundant' }) as ServiceWorker;
    const failed = installFailure({ installing, active });
    installing.dispatchEvent(new Event('statechange'));
    const waits = new Promise((resolve) => setTimeout(resolve, 0, 'waits'));
    return Promise.race([failed.catch((error: unknown) => (error as Error).message), waits]);
  });
  expect(await Promise.all(outcomes)).toEqual(['The service worker could not keep the files of the page.', 'waits']);
});
