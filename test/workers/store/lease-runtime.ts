import { expect, test } from 'vitest';
import { fromScript, openRuntime } from '../../../workers/node.ts';
import { type LeasePlace, two } from '../../../workers/testing/store/lease-suite.ts';
import { done, NOTE, put } from '../../runtime/note.ts';

/** Tests of two runtimes on a store of several processes. */
export function leaseRuntimeTest(newPlace: () => Promise<LeasePlace>): void {
  test('a runtime follows a run of another runtime, and takes it over', async () => {
    const [store, second] = await two(await newPlace());
    const [runtime, other] = [await openRuntime({ store }), await openRuntime({ store: second })];
    const waits = { ...fromScript([]), propose: () => new Promise<never>(() => undefined) };
    const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: waits });
    await expect.poll(async () => (await other.runs())[0]?.elsewhere).toBe(true);
    const model = fromScript([done]);
    await expect(other.resume(run.id, model)).rejects.toMatchObject({ code: 'run_open' });
    const kinds: string[] = [];
    const following = (async () => {
      for await (const { kind } of other.follow(run.id)) kinds.push(kind);
    })();
    const rejected = expect(run.result).rejects.toMatchObject({ code: 'run_open' });
    const again = await other.resume(run.id, model, { takeOver: true });
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed' });
    await rejected;
    await following;
    expect(kinds.at(-1)).toBe('seal');
    expect(await runtime.ledger.verify(run.id)).toMatchObject({ ok: true });
    await Promise.all([runtime.close(), other.close()]);
  });
  test('a runtime that is closed with suspend lets its run go to another at once, with its question', async () => {
    const [store, second] = await two(await newPlace());
    const note = { capabilities: [NOTE], grants: [{ capability: NOTE.name, mode: 'ask' }] } as const;
    const [runtime, other] = [await openRuntime({ store, ...note }), await openRuntime({ store: second, ...note })];
    const run = runtime.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
    await run.run();
    await runtime.close({ suspend: true });
    await expect(run.result).rejects.toMatchObject({ code: 'run_suspended' });
    const again = await other.resume(run.id, fromScript([done]));
    await again.answer(again.view.pending?.digest ?? '', { approved: true });
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed' });
    expect(await other.ledger.verify(run.id)).toMatchObject({ ok: true });
    await other.close();
  });
}
