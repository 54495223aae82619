import { afterEach, expect, test } from 'vitest';
import { verifyExport } from '../../../../core/index.ts';
import { makeRetention } from '../../../../workers/kernel/retention.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { endTabs, file, fill, logOf, newName, newTab, one, two } from './tabs.ts';

afterEach(endTabs);

test('an erasure also erases the bytes in the mirror file of another tab, and a restored run still verifies', async () => {
  const name = newName();
  const { tab } = newTab();
  const store = await tab.open(name);
  // Another tab writes the run into its own file and closes it.
  const other = await newTab().tab.open(name);
  await fill(other, one);
  await other.close();
  const secret = new TextDecoder().decode(one.batches[1]?.payloads[0]?.bytes);
  expect((await tab.mirrorText(name)).join('')).toContain(secret);
  valueOf(await makeRetention({ store }, async (_, act) => act()).erase(one.run_id));
  expect((await tab.mirrorText(name)).join('')).not.toContain(secret);
  await store.close();
  await tab.remove('database', name);
  const again = await newTab().tab.open(name);
  const { jsonl } = valueOf(await makeRetention({ store: again }, async (_, act) => act()).archive(one.run_id));
  expect(verifyExport(jsonl)).toMatchObject({ ok: true });
});

test('the erasure of a long run sweeps the mirror once', async () => {
  const name = newName();
  const store = await newTab().tab.open(name);
  const { run_id, batches } = sampleRun(3, 256);
  await Promise.all(batches.map(async (batch) => valueOf(await store.append({ run_id, ...batch }, 'relaxed'))));
  const told: unknown[] = [];
  const others = new BroadcastChannel(`sallyport:alive:${name}`);
  others.onmessage = ({ data }) => told.push(data);
  valueOf(await makeRetention({ store }, async (_, act) => act()).erase(run_id));
  await store.close();
  await expect.poll(() => told).toEqual(['less']);
  others.close();
});

test('replaced and removed rows are gone from the mirror, also from the file of an earlier tab', async () => {
  const name = newName();
  const { tab } = newTab();
  const before = await newTab().tab.open(name);
  await fill(before, one);
  valueOf(await before.put(file('the first words'), 'strict'));
  await before.close();
  const store = await tab.open(name);
  const mirror = async () => (await tab.mirrorText(name)).join('');
  valueOf(await store.put(file('the second words'), 'strict'));
  expect(await mirror()).toContain('the first words');
  valueOf(await store.tidy());
  expect(await mirror()).not.toContain('the first words');
  expect(await mirror()).toContain('the second words');
  valueOf(await store.put(file(undefined), 'strict'));
  await store.close();
  // The row was removed and the store closed before it was tidied. The next store tidies the mirror while it is in use.
  const again = await tab.open(name);
  await expect.poll(mirror).not.toContain('the second words');
  await fill(again, two);
  const log = await logOf(again);
  await again.close();
  await tab.remove('database', name);
  expect((await logOf(await tab.open(name))).slice(0, log.length)).toEqual(log);
});

test.each(['closed', 'opened by another tab'])(
  'opening does not wait for a new copy of the mirror, which is given up without loss when the ledger is %s',
  async (end) => {
    const name = newName();
    const { tab } = newTab();
    const before = await tab.open(name);
    await fill(before, one);
    for (const text of ['the first words', undefined]) valueOf(await before.put(file(text), 'strict'));
    await before.close();
    const mirror = async () => (await tab.mirrorText(name)).join('');
    await tab.hold();
    const store = await tab.open(name);
    await fill(store, two);
    const log = await logOf(store);
    if (end === 'closed') {
      const closing = store.close();
      await tab.release();
      await closing;
    } else {
      await tab.releaseOnArrival(name);
      const other = await newTab().tab.open(name);
      expect(await logOf(other)).toEqual(log);
      await Promise.all([other.close(), store.close()]);
    }
    expect(await mirror()).toContain('the first words');
    const again = await newTab().tab.open(name);
    await expect.poll(mirror).not.toContain('the first words');
    await again.close();
    await tab.remove('database', name);
    expect((await logOf(await newTab().tab.open(name))).slice(0, log.length)).toEqual(log);
  },
);

test('a tab sweeps erased bytes from its open mirror file when another tab tells it', async () => {
  const name = newName();
  const first = await newTab().tab.open(name);
  await fill(first, one);
  await first.close();
  const { tab } = newTab();
  // The holder continues the file of the first tab. The eraser has its own file.
  const holder = await tab.open(name);
  const eraser = await newTab().tab.open(name);
  const secret = new TextDecoder().decode(one.batches[1]?.payloads[0]?.bytes);
  valueOf(await makeRetention({ store: eraser }, async (_, act) => act()).erase(one.run_id));
  await expect.poll(async () => (await tab.mirrorText(name)).join('')).not.toContain(secret);
  await fill(holder, two);
  expect(valueOf(await readRecords(eraser, two.run_id))).toHaveLength(18);
});

test('the deletion of a run also erases its bytes in the mirror of an earlier epoch', async () => {
  const name = newName();
  const { tab } = newTab();
  const store = await tab.open(name);
  await fill(store, one);
  await fill(store, two);
  await store.settle();
  await store.close();
  await tab.remove('database', name);
  await tab.remove('end of the mirror', name);
  const again = await tab.open(name);
  expect(await again.status()).toMatchObject({ state: 'lost', epoch: 2 });
  const secret = new TextDecoder().decode(one.batches[1]?.payloads[0]?.bytes);
  expect((await tab.mirrorText(name)).join('')).toContain(secret);
  valueOf(await makeRetention({ store: again }, async (_, act) => act()).remove(one.run_id));
  for (const epoch of [1, 2]) expect((await tab.mirrorText(name, epoch)).join('')).not.toContain(secret);
});
