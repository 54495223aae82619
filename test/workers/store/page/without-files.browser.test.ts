import { afterEach, expect, test, vi } from 'vitest';
import { openPageStore } from '../../../../workers/store/page/store.ts';
import { valueOf } from '../store-suite.ts';
import { endTabs, fill, logOf, newName, newTab, one } from './tabs.ts';

afterEach(endTabs);

test('the ledger of a page without private files is in IndexedDB alone, and its status says so', async () => {
  const name = newName();
  const store = valueOf(await openPageStore(name));
  await fill(store, one);
  expect(store.status()).toMatchObject({ state: 'good', mirror: 'none' });
  const before = await logOf(store);
  await store.close();
  const again = valueOf(await openPageStore(name));
  expect(await logOf(again)).toEqual(before);
  await again.close();
  await newTab().tab.remove('database', name);
  const lost = valueOf(await openPageStore(name));
  expect(lost.status()).toMatchObject({ state: 'lost', mirror: 'none', epoch: 2 });
  expect((await caches.keys()).filter((each) => each.startsWith(`${name}.mirror`))).toEqual([]);
  valueOf(await lost.destroy());
});

test('the ledger is in IndexedDB alone when private files cannot be opened', async () => {
  const root = await navigator.storage.getDirectory();
  const refused = vi.spyOn(Object.getPrototypeOf(root) as typeof root, 'getDirectoryHandle');
  refused.mockRejectedValue(new DOMException('not now', 'InvalidStateError'));
  // A page has no access handles. With the bare method the store tries private files first.
  const handles = FileSystemFileHandle.prototype as { createSyncAccessHandle?: unknown };
  handles.createSyncAccessHandle = () => undefined;
  try {
    const store = valueOf(await openPageStore(newName()));
    await fill(store, one);
    expect(refused).toHaveBeenCalled();
    expect(store.status()).toMatchObject({ state: 'good', mirror: 'none' });
    refused.mockRestore();
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
    expect(await openPageStore(name)).toMatchObject({ ok: false, refusal: { code: 'mirror_lost' } });
    expect(read).toHaveBeenCalled();
    expect((await caches.keys()).filter((each) => each.startsWith(`${name}.mirror`))).toEqual([]);
  } finally {
    delete handles.createSyncAccessHandle;
    vi.restoreAllMocks();
  }
  valueOf(await (await newTab().tab.open(name)).destroy());
});

test('a frame that is denied locks and storage is told so, with the words of the browser', async () => {
  const words = 'Access to the Locks API is denied in this context.';
  vi.spyOn(LockManager.prototype, 'request').mockRejectedValue(new DOMException(words, 'SecurityError'));
  const refused = await openPageStore(newName());
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'store_absent' } });
  expect(refused).toMatchObject({ refusal: { message: expect.stringContaining(words) } });
  vi.restoreAllMocks();
});
