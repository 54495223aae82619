import { afterEach, describe, expect, test } from 'vitest';
import { verifyExport } from '../../../../core/index.ts';
import { backUp, takeBack } from '../../../../workers/backup/backup.ts';
import { makeRetention } from '../../../../workers/kernel/retention.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { modelTest, valueOf } from '../store-suite.ts';
import { asking, endTabs, file, fill, locking, logOf, newName, newTab, one, two } from './tabs.ts';

afterEach(endTabs);

describe('the ledger store in IndexedDB with a mirror, in workers that are ended', () => {
  const newPlace = async () => {
    const name = newName();
    const crashes = new Map<LedgerStore, () => void>();
    const open = async () => {
      const { tab, crash } = newTab();
      const store = locking(await tab.open(name));
      crashes.set(store, crash);
      return store;
    };
    return { open, crash: async (store: LedgerStore) => crashes.get(store)?.() };
  };
  modelTest(newPlace, { numRuns: 2, maxLength: 12 });
});

retentionSuite('in IndexedDB with a mirror', async () => {
  const name = newName();
  return { open: async () => asking(await newTab().tab.open(name)) };
});

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
  valueOf(await backUp(asking(theirs), (bytes) => parts.push(bytes.slice()) > 0));
  const { tab } = newTab();
  const store = await tab.open(name);
  valueOf(await takeBack(asking(store), new Blob(parts as BlobPart[])));
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

test('a stopped put is refused with mirror_lost, and its remains go when the ledger is opened next', async () => {
  const name = newName();
  const { tab, crash } = newTab();
  const store = await tab.open(name);
  const rows = (text: string) =>
    ['a', 'b', 'c'].map((key) => ({ table: 'files' as const, key, value: text.repeat(1 << 18) }));
  valueOf(await store.put(rows('1'), 'strict'));
  await tab.cutAfter(1, ['write']);
  expect(await store.put(rows('2'), 'strict')).toMatchObject({ refusal: { code: 'mirror_lost' } });
  crash();
  const next = newTab().tab;
  const hasNew = async () => (await next.mirrorText(name)).map((text) => text.includes('2'.repeat(99)));
  expect(await hasNew()).toContain(true);
  const again = await next.open(name);
  await expect.poll(hasNew).not.toContain(true);
  expect(valueOf(await again.all('files')).map(([, value]) => String(value).slice(0, 1))).toEqual(['1', '1', '1']);
});

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
