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
  await expect.poll(() => told).toEqual([{ erased: expect.any(String) }]);
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
    // a tab that has the ledger open beside another one overwrites the words in its own file
    if (end === 'closed') expect(await mirror()).toContain('the first words');
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

/** A row with a heap of its own, as a call that waits parks it. */
const heap = (run_id: string, value: string | undefined) => [
  { table: 'kept' as const, key: `parked/${run_id}`, value: value && [new TextEncoder().encode(value)] },
];
const label = { table: 'kept' as const, key: 'labels/notes/known', value: { text: 'null', labels: [] } };
const own = (key: string, text: string, run: string) => ({
  table: 'kept' as const,
  key: `own/notes/${key}`,
  value: { text: JSON.stringify(text), labels: [], run },
});

test('an erasure takes parked heaps and stored values out of the files of all tabs while they are open', async () => {
  const name = newName();
  const { tab } = newTab();
  const first = await tab.open(name);
  const second = await newTab().tab.open(name);
  const retention = (store: typeof first) => makeRetention({ store }, async (_, act) => act());
  const mirror = async () => (await tab.mirrorText(name)).join('');
  const { run_id, batches } = one;
  // Each tab writes rows with records, as a run does, and one frame holds rows that stay.
  for (const [nth, batch] of batches.entries()) {
    const tables = [...heap(run_id, `the heap ${nth}`), own('a', `old value ${nth}`, run_id), label];
    valueOf((await (nth % 2 ? first : second).gather?.(run_id)) as never);
    valueOf(await (nth % 2 ? first : second).append({ run_id, ...batch, tables }, 'strict'));
    valueOf((await (nth % 2 ? first : second).fill?.()) as never);
  }
  valueOf(await second.put([own('a', 'last value', run_id), own('b', 'of another run', two.run_id)], 'strict'));
  for (const words of ['the heap 0', 'the heap 1', 'old value 0', 'last value'])
    expect(await mirror()).toContain(words);
  expect(valueOf(await retention(first).erase(run_id, { stored: true }))).toEqual({ values: 1, otherTabs: 0 });
  for (const words of ['the heap', 'old value', 'last value', 'own/notes/a'])
    expect(await mirror()).not.toContain(words);
  expect(await mirror()).toContain('of another run');
  expect(valueOf(await retention(second).forgetStored('notes'))).toEqual({ values: 1, otherTabs: 0 });
  expect(await mirror()).not.toContain('of another run');
  // The files alone give the same rows and records.
  const log = await logOf(first);
  for (const store of [first, second]) await store.close();
  await tab.remove('database', name);
  const again = await newTab().tab.open(name);
  expect(valueOf(await again.all('kept'))).toEqual([[label.key, label.value]]);
  expect((await logOf(again)).slice(0, log.length)).toEqual(log);
});

test('an erasure tells how many tabs do not answer, and their files lose the content with the next opening', async () => {
  const name = newName();
  const { tab } = newTab();
  const eraser = await tab.open(name);
  const deaf = newTab();
  await deaf.tab.deafen();
  const frozen = await deaf.tab.open(name);
  await fill(frozen, one);
  valueOf(await frozen.put(heap(one.run_id, 'the heap'), 'strict'));
  const retention = makeRetention({ store: eraser }, async (_, act) => act());
  const mirror = async () => (await tab.mirrorText(name)).join('');
  expect(valueOf(await retention.erase(one.run_id))).toEqual({ values: 0, otherTabs: 1 });
  expect(await mirror()).toContain('the heap');
  deaf.crash();
  await eraser.close();
  const again = await newTab().tab.open(name);
  await expect.poll(mirror).not.toContain('the heap');
  await again.close();
});

test('removed content leaves the files of all tabs while they are open', async () => {
  const name = newName();
  const { tab } = newTab();
  const [first, second] = [await tab.open(name), await newTab().tab.open(name)];
  valueOf(await second.put([...file('the words'), { table: 'files', key: 'b.md', value: 'other words' }], 'strict'));
  valueOf(await first.put(file(undefined), 'strict'));
  valueOf(await first.tidy());
  const mirror = async () => (await tab.mirrorText(name)).join('');
  await expect.poll(mirror).not.toContain('the words');
  expect(await mirror()).toContain('other words');
  for (const store of [first, second]) await store.close();
});
