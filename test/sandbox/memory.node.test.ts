import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { type Loaded, Shelf } from '../../sandbox/index.ts';
import { call, load } from './guest.ts';

const IDLE_KIB_MAX = 250;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Resident memory, after the garbage of finished work is gone. */
async function residentKiB(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return process.memoryUsage.rss() / 1024;
}

it(`keeps an idle trivial capability in ${IDLE_KIB_MAX} KiB beyond the first`, async () => {
  const shelf = new Shelf(1);
  const kept: Loaded[] = [];
  const one = async (i: number) => {
    const capability = await load(`export default ({ a }) => a + ${i}`);
    shelf.use(capability.realm);
    expect(call(capability, { a: 1 })).toMatchObject({ text: String(1 + i) });
    kept.push(capability);
  };
  // engine tiers, code caches and the heap of the test itself have grown by then
  for (let i = 0; i < 40; i++) await one(i);
  const before = await residentKiB();
  for (let i = 40; i < 240; i++) await one(i);
  const each = ((await residentKiB()) - before) / 200;
  expect(each).toBeLessThan(IDLE_KIB_MAX);
  // each is still there, and answers
  expect(kept).toHaveLength(240);
  expect(each).toBeGreaterThan(50);
});

it('rests all but the instances that were used last', async () => {
  const shelf = new Shelf(2);
  const [a, b, c] = [
    await load('export default () => 1'),
    await load('export default () => 2'),
    await load('export default () => 3'),
  ];
  for (const capability of [a, b, c, a]) {
    call(capability);
    shelf.use(capability.realm);
  }
  expect([a, b, c].map(({ realm }) => realm.rest())).toEqual([true, false, true]);
});
