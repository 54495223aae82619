import { proxy } from 'comlink';
import { type IDBPDatabase, openDB } from 'idb';
import { afterEach, expect, test } from 'vitest';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { pass } from '../../../../core/outcome.ts';
import { openBrowserStore } from '../../../../workers/store/idb/store.ts';
import { encodeFrame } from '../../../../workers/store/journal/frame.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { endTabs, file, fill, logOf, newName, newTab, one, two } from './tabs.ts';

afterEach(endTabs);

/** A run of two batches: the copy has the first. */
const short = sampleRun(5, 1, false);
const shortLog = short.batches.flatMap(({ records }) => records.map(({ record }) => record));

/** A database and a copy as the version before wrote them. The copy lacks the last batch, as a kill often left it. */
async function writeOldLedger(name: string, run = one): Promise<IDBPDatabase> {
  const source = valueOf(await openBrowserStore(newName()));
  await fill(source, run);
  const batches = valueOf(await source.log(0, 1_000));
  await source.destroy();
  const db = await openDB(name, 2, {
    upgrade(created) {
      created
        .createObjectStore('batches', { keyPath: 'seq' })
        .createIndex('run', ['run_id', 'run_seq'], { unique: true });
      for (const table of ['kept', 'files', 'symbols']) created.createObjectStore(table);
    },
    // a tab of the version before closes its database when a newer tab asks for it
    blocking: (_, __, event) => (event.target as IDBDatabase).close(),
  });
  for (const batch of batches) await db.add('batches', batch);
  await db.put('files', 'the newer words', 'a.md');
  const base = await (await navigator.storage.getDirectory()).getDirectoryHandle(`${name}.mirror`, { create: true });
  const folder = await base.getDirectoryHandle('e1', { create: true });
  const writable = await (await folder.getFileHandle('0.journal', { create: true })).createWritable();
  const rows = encodeFrame({ tables: file('the older words'), at: 1 });
  for (const frame of [rows, ...batches.slice(0, -1).map((batch) => encodeFrame({ batch, tables: [], at: 1 }))])
    await writable.write(frame as Uint8Array<ArrayBuffer>);
  await writable.close();
  return db;
}

test('a ledger of the version before is carried over once, and its open tab gives way', async () => {
  const name = newName();
  const old = await writeOldLedger(name);
  const { tab } = newTab();
  const store = await tab.open(name);
  await expect(old.add('batches', { seq: 1_000 })).rejects.toThrow();
  await expect(openDB(name, 2)).rejects.toMatchObject({ name: 'VersionError' });
  expect(await store.status()).toMatchObject({ state: 'good', mirror: 'opfs', epoch: 1 });
  // the last change came with the batch that the copy lacks
  expect(valueOf(await store.get('files', 'a.md'))).toBe('the newer words');
  const before = await logOf(store);
  expect(before).toHaveLength(one.batches.flatMap(({ records }) => records).length);
  await fill(store, two);
  const log = await logOf(store);
  await store.close();
  // both the old copy and the new file are needed now
  await tab.remove('database', name);
  const again = await newTab().tab.open(name);
  expect(await again.status()).toMatchObject({ state: 'restored' });
  expect((await logOf(again)).slice(0, log.length)).toEqual(log);
  expect(valueOf(await again.get('files', 'a.md'))).toBe('the newer words');
});

test('a carry-over that stops at any act is finished by the next opening, and survives its database', async () => {
  const next = newTab();
  for (let acts = 0, isDone = false; !isDone; acts++) {
    const name = newName();
    await writeOldLedger(name, short);
    const { tab, crash } = newTab();
    await tab.cutAfter(acts);
    isDone = await tab.open(name).then(
      () => true,
      () => false,
    );
    crash();
    const opened = await next.tab.open(name);
    expect(await opened.status(), `stopped at ${acts}`).toMatchObject({ state: 'good', epoch: 1 });
    await opened.close();
    await next.tab.remove('database', name);
    const again = await next.tab.open(name);
    expect((await logOf(again)).slice(0, shortLog.length), `stopped at ${acts}`).toEqual(shortLog);
    expect(valueOf(await again.get('files', 'a.md')), `stopped at ${acts}`).toBe('the newer words');
    await again.close();
  }
});

test('carrying over a long ledger tells the share that is done', async () => {
  const name = newName();
  const old = await writeOldLedger(name, sampleRun(4, 300));
  const shares: number[] = [];
  const store = await newTab().tab.open(
    name,
    proxy((share: number) => void shares.push(share)),
  );
  expect(await store.status()).toMatchObject({ state: 'good', mirror: 'opfs' });
  await expect.poll(() => shares.length).toBeGreaterThan(0);
  expect(shares).toEqual(shares.toSorted((less, more) => less - more));
  expect(Math.max(...shares)).toBeLessThanOrEqual(1);
  old.close();
});

test('content of a tab that died is in the index after the next tab took the run', async () => {
  const name = newName();
  const [first, second] = [newTab(), newTab()];
  const [dying, next] = [await first.tab.open(name), await second.tab.open(name)];
  const appends = one.batches.map((batch) => dying.append({ run_id: one.run_id, ...batch }, 'relaxed'));
  for (const done of await Promise.all(appends)) valueOf(done);
  first.crash();
  valueOf((await next.gather?.(one.run_id)) ?? pass(undefined));
  expect(valueOf(await readRecords(next, one.run_id))).toHaveLength(one.batches.flatMap((each) => each.records).length);
});

test('a tab that writes without a pause and a tab that opens beside it have a single log', async () => {
  const name = newName();
  const [writer, other] = [newTab(), newTab()];
  const store = await writer.tab.open(name);
  const long = sampleRun(3, 200);
  const writing = (async () => {
    for (const batch of long.batches) valueOf(await store.append({ run_id: long.run_id, ...batch }, 'relaxed'));
  })();
  for (let nth = 0; nth < 5; nth++) {
    const beside = await other.tab.open(name);
    expect(await beside.status()).toMatchObject({ state: 'good', mirror: 'opfs', epoch: 1 });
    const { size, root } = valueOf(await beside.head());
    const log = valueOf(await beside.log(0, 1_000)).filter(({ after }) => after.log.size <= size);
    expect(log.at(-1)?.after.log.size ?? 0).toBe(size);
    const last = log.at(-1)?.after.log;
    if (last !== undefined) expect(rootOf(last)).toEqual(root);
    await beside.close();
  }
  await writing;
  expect(valueOf(await readRecords(store, long.run_id))).toHaveLength(
    long.batches.flatMap(({ records }) => records).length,
  );
});
