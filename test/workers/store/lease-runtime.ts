import { expect, test } from 'vitest';
import { fromScript, openRuntime } from '../../../workers/node.ts';
import { type LeasePlace, two } from '../../../workers/testing/store/lease-suite.ts';

/** Test of two runtimes on a store of several processes. */
export function leaseRuntimeTest(newPlace: () => Promise<LeasePlace>): void {
  test('a runtime follows a run of another runtime, and takes it over', async () => {
    const [store, second] = await two(await newPlace());
    const [runtime, other] = [await openRuntime({ store }), await openRuntime({ store: second })];
    const waits = { ...fromScript([]), propose: () => new Promise<never>(() => undefined) };
    const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: waits });
    await expect.poll(async () => (await other.runs())[0]?.elsewhere).toBe(true);
    const done = fromScript([{ done: true, message: 'done' }]);
    await expect(other.resume(run.id, done)).rejects.toMatchObject({ code: 'run_open' });
    const kinds: string[] = [];
    const following = (async () => {
      for await (const { kind } of other.follow(run.id)) kinds.push(kind);
    })();
    const rejected = expect(run.result).rejects.toMatchObject({ code: 'run_open' });
    const again = await other.resume(run.id, done, { takeOver: true });
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed' });
    await rejected;
    await following;
    expect(kinds.at(-1)).toBe('seal');
    expect(await runtime.ledger.verify(run.id)).toMatchObject({ ok: true });
    await Promise.all([runtime.close(), other.close()]);
  });
}
