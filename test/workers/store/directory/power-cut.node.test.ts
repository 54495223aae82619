import { expect, test } from 'vitest';
import { DirectoryLog } from '../../../../workers/store/directory/log.ts';
import { appendFrames, openChain } from '../../../../workers/store/journal/journal.ts';
import { dice } from '../../../dice.mjs';
import { valueOf } from '../store-suite.ts';
import { cutsOf, makeReference } from './power-cut/cuts.ts';
import { BEGUN, Disk, never } from './power-cut/disk.ts';

/** `SALLYPORT_SEED=random` plays new seeds. `npm run test:long -- power-cut` cuts far more often. */
const SEEDS =
  process.env['SALLYPORT_SEED'] === 'random' ? Array.from({ length: 15 }, () => Math.random() * 2 ** 32) : [1, 2];

test('a power cut loses no record that was acknowledged as flushed, and leaves no half record', async () => {
  const reference = await makeReference();
  const more = new Set<number>();
  let witnesses = 0;
  for (const seed of SEEDS) {
    for await (const { unflushed, witnessed, faults } of cutsOf(seed, reference)) {
      expect(faults, `seed ${seed}`).toEqual([]);
      more.add(unflushed);
      if (witnessed) witnesses++;
    }
  }
  expect(witnesses).toBeGreaterThan(50);
  // Some cuts kept unflushed batches, and some cuts lost them all.
  expect([more.has(0), Math.max(...more) > 1]).toEqual([true, true]);
});

test('rows that were written part by part survive a power cut all together or not at all', async () => {
  const chance = dice(1);
  const all: { readonly found: Uint8Array; readonly sure: boolean }[] = [];
  let sure = false;
  const disk: Disk = new Disk(() => {
    for (let way = 0; way < 10; way++) all.push({ found: disk.cut(chance), sure });
  }, BEGUN);
  appendFrames(disk, [{ tables: [{ table: 'kept', key: 'before', value: 1 }], flushed: 0 }]);
  const chain = openChain(disk, { flushed: 0 });
  for (const key of ['a', 'b', 'c', 'd']) await chain.add([{ table: 'kept', key, value: key.repeat(700) }]);
  await chain.end();
  sure = true;
  disk.before();
  const sizes = new Set<number>();
  for (const moment of all) {
    const { kept } = valueOf(DirectoryLog.open(new Disk(undefined, moment.found), never)).contents.tables;
    sizes.add(kept.size);
    if (moment.sure) expect(kept.size).toBe(5);
  }
  expect(sizes).toEqual(new Set([0, 1, 5]));
});
