import { afterEach, expect, test, vi } from 'vitest';
import { makeRetention } from '../../../../workers/kernel/retention.ts';
import { openDurableStore } from '../../../../workers/store/mirror/durable.ts';
import { valueOf } from '../store-suite.ts';
import { endTabs, fill, logOf, newName, newTab, one } from './tabs.ts';

afterEach(endTabs);

test('the mirror of a page without private files is kept in a cache, and its status says so', async () => {
  const name = newName();
  const store = valueOf(await openDurableStore(name));
  await fill(store, one);
  valueOf(await makeRetention({ store }, async (_, act) => act()).erase(one.run_id));
  expect(store.status()).toMatchObject({ state: 'good', mirror: 'cache' });
  const before = await logOf(store);
  await store.close();
  await newTab().tab.remove('database', name);
  const again = valueOf(await openDurableStore(name));
  expect(again.status()).toMatchObject({ state: 'restored', mirror: 'cache' });
  expect((await logOf(again)).slice(0, before.length)).toEqual(before);
  expect(valueOf(await again.read(one.run_id)).flatMap(({ payloads }) => payloads)).toEqual([]);
  valueOf(await again.destroy());
});

test('a put of many parts is several entries of the cache, which count together or not at all', async () => {
  const rows = (text: string) =>
    ['a', 'b', 'c'].map((key) => ({ table: 'files' as const, key, value: text.repeat(1 << 18) }));
  for (const torn of [true, false]) {
    const name = newName();
    const store = valueOf(await openDurableStore(name));
    for (const text of ['1', '2']) valueOf(await store.put(rows(text), 'strict'));
    valueOf(await store.put([{ table: 'kept', key: 'k', value: 'small' }], 'strict'));
    await store.close();
    const cache = await caches.open(`${name}.mirror.e1`);
    const answers = await Promise.all(
      (await cache.keys()).map(async (key) => ({ key, text: (await (await cache.match(key))?.text()) ?? '' })),
    );
    expect(answers).toHaveLength(9);
    expect(Math.max(...answers.map(({ text }) => text.length))).toBeLessThan(300_000);
    const second = answers.find(({ text }) => text.includes('2'.repeat(100)))?.key.url.replace(/\.\d$/, '.end');
    if (torn) expect(await cache.delete(second ?? '')).toBe(true);
    await newTab().tab.remove('database', name);
    const again = valueOf(await openDurableStore(name));
    const found = valueOf(await again.all('files')).map(([, value]) => String(value).slice(0, 2));
    expect(found).toEqual(Array(3).fill(torn ? '11' : '22'));
    expect(valueOf(await again.get('kept', 'k'))).toBe('small');
    valueOf(await again.destroy());
  }
});

test('the mirror falls back to the cache when private files cannot be opened', async () => {
  const root = await navigator.storage.getDirectory();
  const refused = vi.spyOn(Object.getPrototypeOf(root) as typeof root, 'getDirectoryHandle');
  refused.mockRejectedValue(new DOMException('not now', 'InvalidStateError'));
  // A page has no access handles. With the bare method the store tries private files first.
  const handles = FileSystemFileHandle.prototype as { createSyncAccessHandle?: unknown };
  handles.createSyncAccessHandle = () => undefined;
  try {
    const store = valueOf(await openDurableStore(newName()));
    await fill(store, one);
    expect(refused).toHaveBeenCalled();
    expect(store.status()).toMatchObject({ state: 'good', mirror: 'cache' });
    valueOf(await store.destroy());
  } finally {
    delete handles.createSyncAccessHandle;
    vi.restoreAllMocks();
  }
});

test('opening is refused with mirror_lost when private files with a copy cannot be read', async () => {
  const name = newName();
  const tab = await newTab().tab.open(name);
  await fill(tab, one);
  await tab.close();
  const read = vi.spyOn(FileSystemFileHandle.prototype, 'getFile');
  const handles = FileSystemFileHandle.prototype as { createSyncAccessHandle?: unknown };
  handles.createSyncAccessHandle = () => Promise.reject(new DOMException('dead', 'InvalidStateError'));
  try {
    expect(await openDurableStore(name)).toMatchObject({ ok: false, refusal: { code: 'mirror_lost' } });
    expect(read).toHaveBeenCalled();
    expect((await caches.keys()).filter((each) => each.startsWith(`${name}.mirror`))).toEqual([]);
  } finally {
    delete handles.createSyncAccessHandle;
    vi.restoreAllMocks();
  }
  valueOf(await (await newTab().tab.open(name)).destroy());
});
