import { expect, test } from 'vitest';
import { pass } from '../../../core/outcome.ts';
import { makeGrowth } from '../../../workers/kernel/kernel.ts';
import { gatheringLocks } from '../../../workers/kernel/web-locks.ts';

/** Locks and a store that write down their calls; a fill ends when the test says so. */
function noted() {
  const calls: string[] = [];
  let fill: () => void = () => undefined;
  const store = {
    gather: async (run_id?: string) => {
      calls.push(`gather ${run_id ?? 'all'}`);
      return pass(undefined);
    },
    fill: () =>
      new Promise<ReturnType<typeof pass<undefined>>>((resolve) => {
        calls.push('fill');
        fill = () => resolve(pass(undefined));
      }),
  };
  const locks = gatheringLocks(store, {
    claim: async (run_id) => (run_id === 'held' ? undefined : () => void calls.push('released')),
    exclusive: async () => () => void calls.push('released'),
  });
  return { calls, locks, endFill: () => fill() };
}

test('the holder of a run first gathers, and releases the run when the index has its records', async () => {
  const { calls, locks, endFill } = noted();
  const release = await locks.claim('a');
  release?.();
  await Promise.resolve();
  expect(calls).toEqual(['gather a', 'fill']);
  endFill();
  await expect.poll(() => calls).toEqual(['gather a', 'fill', 'released']);
});

test('a run that another kernel holds is not gathered', async () => {
  const { calls, locks } = noted();
  expect(await locks.claim('held')).toBeUndefined();
  expect(calls).toEqual([]);
});

test('the holder of the content first gathers, and releases it when the index has its rows', async () => {
  const { calls, locks, endFill } = noted();
  (await locks.exclusive())();
  endFill();
  await expect.poll(() => calls).toEqual(['gather all', 'fill', 'released']);
});

test('other kernels are told of a run once for all records on their way to the index', async () => {
  const told: string[] = [];
  let place: () => void = () => undefined;
  const placed = () =>
    new Promise<void>((resolve) => {
      place = resolve;
    });
  const tell = makeGrowth({ placed }, { broadcast: ({ run_id }) => void told.push(run_id) });
  for (let nth = 0; nth < 3; nth++) tell('a');
  expect(told).toEqual([]);
  place();
  await expect.poll(() => told).toEqual(['a']);
  tell('a');
  place();
  await expect.poll(() => told).toEqual(['a', 'a']);
});
