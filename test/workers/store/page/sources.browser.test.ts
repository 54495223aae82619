import { openDB } from 'idb';
import { beforeEach, expect, test } from 'vitest';
import { openSources } from '../../../../workers/store/page/caches.ts';

/** Name of the database of the current test. */
let name = '';
let tests = 0;
beforeEach(() => void (name = `sources-of-test-${++tests}-${Date.now()}`));

test('keys that were added together or apart are read by the next visit, and a deleted key is not', async () => {
  const first = openSources(Date.now, name);
  expect(await first.keys()).toEqual([]);
  await Promise.all(['a', 'b', 'c'].map((key) => first.add(key)));
  await first.add('d');
  await first.add('a');
  await first.delete('b');
  expect(await openSources(Date.now, name).keys()).toEqual(['a', 'c', 'd']);
});

test('the 512 keys that were added last are kept', async () => {
  let now = 0;
  const sources = openSources(() => ++now, name);
  const keys = Array.from({ length: 520 }, (_, at) => String(at).padStart(3, '0'));
  for (let at = 0; at < keys.length; at += 40)
    await Promise.all(keys.slice(at, at + 40).map((key) => sources.add(key)));
  expect(await sources.keys()).toEqual(keys.slice(8));
});

test('a deletion of the database does not wait for its readers', async () => {
  const sources = openSources(Date.now, name);
  await sources.add('a');
  await new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name);
    deleting.addEventListener('success', resolve);
    deleting.addEventListener('blocked', reject);
  });
  await expect(sources.add('b')).rejects.toThrow();
});

test('a database of a later version gives no keys and takes none', async () => {
  (await openDB(name, 2)).close();
  const sources = openSources(Date.now, name);
  await expect(sources.keys()).rejects.toThrow();
  await expect(sources.add('a')).rejects.toThrow();
});
