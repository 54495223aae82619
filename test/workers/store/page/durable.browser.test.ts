import { openDB } from 'idb';
import { afterEach, expect, test } from 'vitest';
import { backUp, takeBack } from '../../../../workers/kernel/backup/backup.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import { BETWEEN_STOPS } from '../../../cases.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { endTabs, file, fill, logOf, newName, newTab, one, two } from './tabs.ts';

afterEach(endTabs);

test('a deleted database is filled again from the mirror files of all tabs, open files included', async () => {
  const name = newName();
  const [first, second] = [newTab(), newTab()];
  const stores = [await first.tab.open(name), await second.tab.open(name)] as const;
  await Promise.all([fill(stores[0], one), fill(stores[1], two)]);
  valueOf(await stores[0].put([{ table: 'files', key: 'f', value: { bytes: Uint8Array.of(7) } }], 'strict'));
  const before = await logOf(stores[0]);
  await stores[0].close();
  first.crash();
  await second.tab.remove('database', name);
  const third = await newTab().tab.open(name);
  expect(await third.status()).toMatchObject({ state: 'restored', mirror: 'opfs', epoch: 1 });
  const after = await logOf(third);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after[before.length]).toMatchObject({
    kind: 'log',
    body: { event: 'restored', found: 0, size: before.length },
  });
  expect(valueOf(await third.get('files', 'f'))).toEqual({ bytes: Uint8Array.of(7) });
});

test('runs that are restored from the mirror stay foreign or own as they were', async () => {
  const [name, other] = [newName(), newName()];
  const theirs = await newTab().tab.open(other);
  await fill(theirs, one);
  const parts: Uint8Array[] = [];
  valueOf(await backUp(theirs, (bytes) => parts.push(bytes.slice()) > 0));
  const { tab } = newTab();
  const store = await tab.open(name);
  valueOf(await takeBack(store, new Blob(parts as BlobPart[])));
  await fill(store, two);
  await store.close();
  await tab.remove('database', name);
  const again = await newTab().tab.open(name);
  expect(await again.status()).toMatchObject({ state: 'restored' });
  const marks = valueOf(await again.runs()).map(({ run_id, foreign = false }) => [run_id, foreign]);
  expect(new Map(marks as [string, boolean][])).toEqual(
    new Map([
      [one.run_id, true],
      [two.run_id, false],
      ['system', false],
    ]),
  );
});

test('a database that is deleted under a tab is restored before the next record is appended', async () => {
  const name = newName();
  const { tab } = newTab();
  const store = await tab.open(name);
  await fill(store, one, 0, 2);
  await newTab().tab.remove('database', name);
  await fill(store, one, 2);
  expect(valueOf(await readRecords(store, one.run_id))).toHaveLength(
    one.batches.flatMap((each) => each.records).length,
  );
  expect(await store.status()).toMatchObject({ state: 'restored' });
});

test('a new epoch begins when only the witness is left, and its first record tells the lost size', async () => {
  const name = newName();
  const { tab } = newTab();
  const store = await tab.open(name);
  await fill(store, one);
  await store.settle();
  const size = valueOf(await store.head()).size;
  await store.close();
  await tab.remove('database', name);
  await tab.remove('mirror', name);
  const again = await newTab().tab.open(name);
  expect(await again.status()).toMatchObject({ state: 'lost', epoch: 2 });
  const [first, ...others] = await logOf(again);
  expect(first).toMatchObject({ run_id: 'system', run_seq: 0, epoch: 2, body: { event: 'lost', size, found: 0 } });
  expect(others).toEqual([]);
  await fill(again, two);
  await again.close();
  const later = await newTab().tab.open(name);
  expect(await later.status()).toMatchObject({ state: 'good', epoch: 2 });
  expect(valueOf(await readRecords(later, two.run_id)).length).toBeGreaterThan(10);
});

test('a loss is in the log of the next opening when the opening that found it stopped at any act', async () => {
  const short = sampleRun(5, 1, false);
  const next = newTab();
  for (let acts = 0, isDone = false; !isDone; acts += BETWEEN_STOPS) {
    const name = newName();
    const store = await next.tab.open(name);
    await fill(store, short);
    await store.settle();
    await store.close();
    await next.tab.remove('database', name);
    await next.tab.remove('end of the mirror', name);
    const { tab, crash } = newTab();
    await tab.cutAfter(acts);
    isDone = await tab.open(name).then(
      () => true,
      () => false,
    );
    crash();
    const again = await next.tab.open(name);
    expect(await again.status(), `stopped at ${acts}`).toMatchObject({ epoch: 2 });
    const events = (await logOf(again)).filter(({ run_id }) => run_id === 'system');
    expect(events, `stopped at ${acts}`).toMatchObject([{ epoch: 2, body: { event: 'lost' } }]);
    await again.close();
  }
});

test('a mirror that was removed is written again from the database', async () => {
  const name = newName();
  const { tab } = newTab();
  const store = await tab.open(name);
  await fill(store, one);
  const before = await logOf(store);
  await store.close();
  await tab.remove('mirror', name);
  await (await newTab().tab.open(name)).close();
  await tab.remove('database', name);
  const again = await newTab().tab.open(name);
  expect((await logOf(again)).slice(0, before.length)).toEqual(before);
});

test('a stopped put is refused with mirror_lost, and its remains go when the ledger is opened next', async () => {
  const name = newName();
  const { tab, crash } = newTab();
  const store = await tab.open(name);
  const rows = (text: string) =>
    ['a', 'b', 'c'].map((key) => ({ table: 'files' as const, key, value: text.repeat(1 << 18) }));
  valueOf(await store.put(rows('1'), 'strict'));
  // The opening looks behind its answer whether the files should be rewritten, and would write meanwhile.
  valueOf(await store.tidy());
  await tab.cutAfter(1, ['write']);
  // The error of the cut write, and none of the platform's.
  const cut = { code: 'mirror_lost', details: { reason: 'Error' } };
  expect(await store.put(rows('2'), 'strict')).toMatchObject({ refusal: cut });
  crash();
  const next = newTab().tab;
  const hasNew = async () => (await next.mirrorText(name)).map((text) => text.includes('2'.repeat(99)));
  expect(await hasNew()).toContain(true);
  const again = await next.open(name);
  await expect.poll(hasNew).not.toContain(true);
  expect(valueOf(await again.all('files')).map(([, value]) => String(value).slice(0, 1))).toEqual(['1', '1', '1']);
});

test('a lone append without a flush is in IndexedDB within a second', async () => {
  const name = newName();
  const store = await newTab().tab.open(name);
  const database = await openDB(name);
  const [first] = one.batches;
  if (first === undefined) throw new Error('no sample');
  valueOf(await store.append({ run_id: one.run_id, ...first }, 'relaxed'));
  await expect.poll(() => database.count('batches'), { timeout: 1_000, interval: 10 }).toBe(1);
  database.close();
});

test('a disk that takes half of a write refuses it with store_full, and keeps what was acknowledged', async () => {
  const name = newName();
  const { tab, crash } = newTab();
  const store = await tab.open(name);
  await fill(store, one, 0, 2);
  await tab.fillDisk(true);
  const { run_id, batches } = one;
  const [, , third] = batches;
  if (third === undefined) throw new Error('no sample');
  for (const durability of ['relaxed', 'strict'] as const)
    expect(await store.append({ run_id, ...third }, durability)).toMatchObject({ refusal: { code: 'store_full' } });
  expect(await store.put(file('words'), 'strict')).toMatchObject({ refusal: { code: 'store_full' } });
  expect(await store.status()).toMatchObject({ trouble: { code: 'store_full' } });
  await tab.fillDisk(false);
  await fill(store, one, 2);
  expect(await store.status()).not.toHaveProperty('trouble');
  const log = await logOf(store);
  crash();
  await newTab().tab.remove('database', name);
  const again = await newTab().tab.open(name);
  expect((await logOf(again)).slice(0, log.length)).toEqual(log);
  expect(valueOf(await again.get('files', 'a.md'))).toBeUndefined();
});

test('destroy is refused with store_busy while another tab has the store open', async () => {
  const name = newName();
  const other = newTab();
  const store = await newTab().tab.open(name);
  const second = await other.tab.open(name);
  await fill(store, one);
  expect(await store.destroy()).toMatchObject({ ok: false, refusal: { code: 'store_busy' } });
  await second.close();
  valueOf(await store.destroy());
  const again = await newTab().tab.open(name);
  expect(await again.status()).toMatchObject({ state: 'good', epoch: 1 });
  expect(await logOf(again)).toEqual([]);
});

test.each(['closed', 'destroyed'] as const)('a %s ledger is left alone by every timer', async (how) => {
  const [name, { tab }, other] = [newName(), newTab(), newTab()];
  await tab.keepTimers();
  const store = await tab.open(name);
  await fill(store, one);
  if (how === 'closed') {
    await store.close();
    // as a tab that replaces or destroys the ledger
    await other.tab.remove('database', name);
    await caches.delete(`${name}.witness`);
  } else valueOf(await store.destroy());
  await tab.fireTimers();
  // opened behind whatever the timers began
  await (await tab.open(newName())).close();
  expect(await caches.has(`${name}.witness`)).toBe(false);
  expect((await indexedDB.databases()).map((each) => each.name)).not.toContain(name);
});
