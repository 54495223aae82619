import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildIndex, normalizeText } from '../../../../core/index.ts';
import { backUp, takeBack } from '../../../../workers/kernel/backup/backup.ts';
import { finishErasures, makeRetention } from '../../../../workers/kernel/retention.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { events, KEY, noted } from '../../../../workers/testing/store/sample.ts';
import { BETWEEN_STOPS } from '../../../cases.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { muchContent } from './much.ts';
import { endTabs, file, fill, logOf, newName, newTab, one } from './tabs.ts';

afterEach(endTabs);

const short = sampleRun(5, 1, false);

test('a rewrite of the mirror that stops at any act still restores the whole ledger', async () => {
  const next = newTab();
  for (let acts = 0, done = false; !done; acts += BETWEEN_STOPS) {
    const name = newName();
    const { tab, crash } = newTab();
    const store = await tab.open(name);
    await fill(store, one, 0, 1);
    for (const text of ['old', 'new']) valueOf(await store.put(file(text), 'strict'));
    const before = await logOf(store);
    await tab.cutAfter(acts);
    done = (await store.tidy()).ok;
    crash();
    await next.tab.remove('database', name);
    const again = await next.tab.open(name);
    expect(await again.status(), `stopped at ${acts}`).toMatchObject({ state: 'restored', epoch: 1 });
    expect((await logOf(again)).slice(0, before.length)).toEqual(before);
    expect(valueOf(await again.get('files', 'a.md'))).toBe('new');
  }
});

/** A backup of a log that no other test has, and that log. */
async function otherLog(): Promise<{ readonly backup: Blob; readonly log: Awaited<ReturnType<typeof logOf>> }> {
  const { tab } = newTab();
  const source = await tab.open(newName());
  await fill(source, short);
  valueOf(await source.put([{ table: 'kept', key: KEY, value: noted('words') }], 'strict'));
  const parts: Uint8Array[] = [];
  valueOf(await backUp(source, (bytes) => parts.push(bytes.slice()) > 0));
  const log = await logOf(source);
  await source.close();
  return { backup: new Blob(parts as BlobPart[]), log };
}

test('a replacement that stops at any act leaves one of the two logs whole', async () => {
  const next = newTab();
  const { backup, log } = await otherLog();
  const found: string[] = [];
  for (let acts = 0, isDone = false; !isDone; acts += BETWEEN_STOPS) {
    const name = newName();
    const store = await next.tab.open(name);
    await fill(store, one);
    const before = await logOf(store);
    await store.close();
    const { tab, crash } = newTab();
    isDone = await tab.replaceBy(name, backup, { acts });
    crash();
    const again = await next.tab.open(name);
    const now = await logOf(again);
    const isNew = now.length !== before.length;
    // the record of the replacement comes with the new log
    expect(now.slice(0, isNew ? -1 : undefined), `stopped at ${acts}`).toEqual(isNew ? log : before);
    expect(await again.status()).toMatchObject({ state: 'good' });
    expect(valueOf(await again.get('kept', KEY))).toEqual(isNew ? noted('words') : undefined);
    found.push(isNew ? 'new' : 'old');
    await again.close();
    await next.tab.remove('database', name);
    expect((await logOf(await next.tab.open(name))).slice(0, now.length)).toEqual(now);
  }
  expect(found[0]).toBe('old');
  expect(found).toEqual(found.toSorted().toReversed());
  expect(found.at(-1)).toBe('new');
});

test('a replacement that is cut off leaves the old log, and the next opening says so once', async () => {
  const { backup } = await otherLog();
  const name = newName();
  const first = newTab();
  const store = await first.tab.open(name);
  await fill(store, one);
  const before = await logOf(store);
  await store.close();
  const { tab, crash } = newTab();
  void tab.replaceBy(name, backup, { share: 0.8 });
  const hasBegun = async (): Promise<boolean> =>
    (await navigator.storage.getDirectory()).getDirectoryHandle(`${name}.incoming`).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(hasBegun, 20_000);
  crash();
  const again = await first.tab.open(name);
  expect(await again.status()).toMatchObject({ cut: true, state: 'good' });
  expect(await logOf(again)).toEqual(before);
  await again.close();
  const once = await first.tab.open(name);
  expect(await once.status()).not.toHaveProperty('cut');
});

test('a restore that stops at any act leaves the whole ledger, which survives its database', async () => {
  const next = newTab();
  const source = await next.tab.open(newName());
  await fill(source, short);
  valueOf(await source.put([{ table: 'kept', key: KEY, value: noted('words') }], 'strict'));
  const parts: Uint8Array[] = [];
  valueOf(await backUp(source, (bytes) => parts.push(bytes.slice()) > 0));
  const log = await logOf(source);
  await source.close();
  for (let acts = 0, isDone = false; !isDone; acts += BETWEEN_STOPS) {
    const name = newName();
    const { tab, crash } = newTab();
    const store = await tab.open(name);
    await tab.cutAfter(acts);
    isDone = (await takeBack(store, new Blob(parts as BlobPart[]))).ok;
    crash();
    for (const database of ['stays', 'is removed']) {
      if (database === 'is removed') await next.tab.remove('database', name);
      const again = await next.tab.open(name);
      const found = await logOf(again);
      expect(found.slice(0, log.length), `stopped at ${acts}, database ${database}`).toEqual(log);
      expect(valueOf(await again.get('kept', KEY))).toEqual(noted('words'));
      await again.close();
    }
  }
});

test('an erasure that stops at any act is finished by the next opening, or was not recorded', async () => {
  const next = newTab();
  const [secret] = short.batches[1]?.payloads ?? [];
  const words = new TextDecoder().decode(secret?.bytes);
  const erase = (store: LedgerStore) =>
    makeRetention({ store }, async (_, act) => act()).erase(short.run_id, { payloads: [secret?.sha256 ?? ''] });
  for (let acts = 0, isDone = false; !isDone; acts += 2 * BETWEEN_STOPS) {
    const name = newName();
    const { tab, crash } = newTab();
    const store = await tab.open(name);
    await fill(store, short);
    await tab.cutAfter(acts);
    isDone = (await erase(store)).ok;
    crash();
    const again = await next.tab.open(name);
    await finishErasures({ store: again, claim: async () => () => undefined });
    // it was not recorded, and its caller has no answer
    if ((await events(again)).length === 0) valueOf(await erase(again));
    expect(valueOf(await again.payload(short.run_id, secret?.sha256 ?? ''))).toBeUndefined();
    const text = async () => (await next.tab.mirrorText(name)).join('');
    await expect.poll(text, { message: `stopped at ${acts}` }).not.toContain(words);
    await again.close();
  }
});

test('a put of several parts is restored whole or not at all, wherever the tab stopped', async () => {
  const next = newTab();
  const rows = (text: string) =>
    ['a', 'b'].map((key) => ({ table: 'files' as const, key, value: text.repeat(1 << 18) }));
  for (let acts = 0, done = false; !done; acts += BETWEEN_STOPS) {
    const name = newName();
    const { tab, crash } = newTab();
    const store = await tab.open(name);
    valueOf(await store.put(rows('1'), 'strict'));
    await tab.cutAfter(acts);
    done = (await store.put(rows('2'), 'strict')).ok;
    crash();
    await next.tab.remove('database', name);
    const again = await next.tab.open(name);
    const found = valueOf(await again.all('files')).map(([, value]) => String(value).slice(0, 2));
    expect(found, `stopped at ${acts}`).toEqual(found[0] === '22' || done ? ['22', '22'] : ['11', '11']);
    await again.close();
  }
});

test('an append does not wait for a put of many parts, and both are restored', async () => {
  const name = newName();
  const { tab } = newTab();
  const [first] = one.batches;
  if (first === undefined) throw new Error('no sample');
  const { rows, isAppended } = await tab.putUntilAppended(name, { run_id: one.run_id, ...first });
  expect(isAppended).toBe(true);
  expect(rows).toBeLessThan(8_000);
  await tab.remove('database', name);
  const again = await tab.open(name);
  expect(await again.status()).toMatchObject({ state: 'restored', mirror: 'opfs' });
  expect(valueOf(await again.all('files'))).toHaveLength(rows);
  expect(valueOf(await again.read(one.run_id))).toHaveLength(1);
});

describe('much content that is added', () => {
  test('much content waits in a file aside until it is stored, and its index equals an index in memory', async () => {
    const name = newName();
    const { tab } = newTab();
    const files = muchContent();
    const built = valueOf(buildIndex(files));
    const { outcome, waiting, held, texts } = await tab.addMuch(name, 'stored');
    expect({ outcome, waiting, held }).toEqual({ outcome: built.index_hash, waiting: 1, held: files.length });
    expect(texts).toEqual([files[0], files.at(-1)].map((each) => valueOf(normalizeText(each?.bytes as Uint8Array))));
    expect(await tab.aside(name)).toEqual([]);
  });

  test('an addition that is cancelled or whose file aside is unreadable leaves no file and no content', async () => {
    for (const [ending, outcome] of [
      ['cancelled', 'cancelled'],
      ['unreadable', 'mirror_lost'],
    ] as const) {
      const name = newName();
      const { tab } = newTab();
      const found = await tab.addMuch(name, ending);
      expect(found).toMatchObject({ waiting: 1, held: 0 });
      expect(found.outcome).toContain(outcome);
      expect(await tab.aside(name)).toEqual([]);
    }
  });

  test('the file aside of a crashed addition is removed at the next opening, and a live addition keeps its file', async () => {
    const name = newName();
    const [{ tab, crash }, other] = [newTab(), newTab()];
    void tab.addMuch(name, 'stopped');
    await expect.poll(() => other.tab.aside(name)).toHaveLength(1);
    const reopen = async () => {
      await (await other.tab.open(name)).close();
      return other.tab.aside(name);
    };
    expect(await reopen()).toHaveLength(1);
    crash();
    // The browser may need a moment to see that the file is free.
    await expect.poll(reopen).toEqual([]);
    expect(await other.tab.addMuch(name, 'stored')).toMatchObject({ held: muchContent().length });
  });
});
