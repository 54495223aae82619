import { expect, test } from 'vitest';
import { hashText } from '../../../../core/hash.ts';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { makeSerialQueue } from '../../../../workers/async.ts';
import { openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { INCOMPLETE } from '../../../../workers/store/page/database.ts';
import { renewFiles, restorePages, scanFiles, wipeFiles } from '../../../../workers/store/page/rewrite.ts';
import type { Batch, Pages } from '../../../../workers/store/store.ts';
import { SYSTEM } from '../../../../workers/store/system-log.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { eachCut, type Opened, type Prepared, textsOf, visit } from './epoch-model.ts';
import { MemoryDisk } from './memory-files.ts';

const sample = sampleRun(1, 3);
const texts = sample.batches.flatMap(({ records }) => records.map(({ text }) => text));
const row = (value: string) => [{ table: 'files' as const, key: 'a.md', value }];

const open = async (): Promise<void> => undefined;

async function appendSample({ append }: Opened): Promise<void> {
  for (const batch of sample.batches) valueOf(await append({ run_id: sample.run_id, ...batch }));
}

/** Batches of a log that has the sample. */
async function sampleBatches(): Promise<readonly Batch[]> {
  const source = openMemoryStore();
  for (const batch of sample.batches) valueOf(await source.append({ run_id: sample.run_id, ...batch }, 'strict'));
  return valueOf(await source.log(0, 100));
}

function expectWhole({ disk }: Prepared, words: string, where: string): void {
  expect(textsOf(disk, sample.run_id), where).toEqual(texts);
  expect(disk.state.rows.get('files a.md'), where).toBe(words);
}

/** The next opening completes the files, so that the ledger survives its database. */
async function expectCompleted(prepared: Prepared, words: string, where: string): Promise<void> {
  const { disk } = prepared;
  await visit(prepared, ({ state }) => expect(state, where).toBe('good'));
  expect(disk.state.offsets.has(INCOMPLETE)).toBe(false);
  disk.wipe();
  await visit(prepared, ({ state }) => expect(state, where).toBe('restored'));
  expectWhole(prepared, words, where);
}

test.each(['gone', 'shorter than the index knows'])(
  'a file that is %s is written again from the database, wherever the next opening stops',
  async (how) => {
    const prepare = async () => {
      const disk = new MemoryDisk();
      await visit({ disk }, async (opened) => {
        await appendSample(opened);
        valueOf(await opened.files.put(row('words')));
      });
      for (const file of disk.files.values()) file.bytes = file.bytes.slice(0, file.bytes.length / 3);
      if (how === 'gone') disk.files.clear();
      return { disk };
    };
    const cuts = await eachCut(prepare, open, (prepared, where) => expectCompleted(prepared, 'words', where));
    expect(cuts).toBeGreaterThan(5);
  },
);

/** A ledger whose file lost its last third, and whose database is gone or as old as the rest; and its witness. */
async function lostLedger(database: 'gone' | 'older') {
  const disk = new MemoryDisk();
  let older = disk.state;
  await visit({ disk }, async ({ append, files }) => {
    valueOf(await files.put(row('the older words')));
    for (const [nth, batch] of sample.batches.entries()) {
      valueOf(await append({ run_id: sample.run_id, ...batch, tables: nth === 1 ? row('the newer words') : [] }));
      if (nth === 1) older = disk.state;
    }
  });
  const log = disk.state.batches.at(-1)?.after.log;
  if (log === undefined) throw new Error('no log');
  const witness = { epoch: 1, size: log.size, root: hashText(rootOf(log)) };
  for (const file of disk.files.values()) file.bytes = file.bytes.slice(0, (file.bytes.length * 2) / 3);
  disk.wipe();
  if (database === 'older') disk.state = older;
  return { disk, witness };
}

test.each(['gone', 'older'] as const)(
  'with a database that is %s, a loss is in the log after the next opening, wherever the first opening stopped',
  async (database) => {
    const prepare = () => lostLedger(database);
    const cuts = await eachCut(prepare, open, async (prepared, where) => {
      const { disk, witness } = prepared;
      await visit(prepared, ({ epoch }) => expect(epoch, where).toBe(2));
      const events = () => textsOf(disk, SYSTEM).map((text) => JSON.parse(text) as { epoch: number; body: unknown });
      const lost = { epoch: 2, body: { event: 'lost', size: witness?.size } };
      expect(events(), where).toMatchObject([lost]);
      const kept = textsOf(disk, sample.run_id);
      expect(kept.length).toBeGreaterThan(2);
      expect(kept).toEqual(texts.slice(0, kept.length));
      expect(disk.state.rows.get('files a.md'), where).toBe('the newer words');
      // the files of the new epoch have the rest of the log, too
      disk.wipe();
      await visit(prepared, ({ epoch }) => expect(epoch).toBe(2));
      expect(events()[0]).toMatchObject(lost);
      expect(textsOf(disk, sample.run_id)).toEqual(kept);
      expect(disk.state.rows.get('files a.md')).toBe('the newer words');
    });
    expect(cuts).toBeGreaterThan(5);
  },
);

test('a restore that stops anywhere leaves a whole ledger or an empty ledger, with a database and without', async () => {
  const batches = await sampleBatches();
  const pages: Pages = async (nth) => (nth === 0 ? { batches, tables: row('words') } : undefined);
  const restore = async ({ files, store }: Opened) => valueOf(await restorePages(files, store, pages));
  const left = new Set<number>();
  const prepare = async () => ({ disk: new MemoryDisk() });
  const cuts = await eachCut(prepare, restore, async (prepared, where) => {
    const { disk } = prepared;
    await visit(prepared, ({ state }) => expect(state, where).toBe('good'));
    const { length } = textsOf(disk, sample.run_id);
    left.add(length);
    if (length > 0) expectWhole(prepared, 'words', where);
    disk.wipe();
    await visit(prepared, open);
    expect(textsOf(disk, sample.run_id), where).toHaveLength(length);
    if (length > 0) expectWhole(prepared, 'words', where);
  });
  expect(cuts).toBeGreaterThan(5);
  expect([...left]).toEqual([0, texts.length]);
});

/** What a kernel does in the background behind an opening, and always when it has erased content. */
async function sweep({ files, store }: Opened, always = false): Promise<void> {
  const scan = await scanFiles(files.folder, files.own);
  if (scan.uneven) await wipeFiles(files.folder, files.own, scan.isStale);
  if (scan.due || always) valueOf(await renewFiles(files, store, makeSerialQueue()));
}

test('an erasure that stops anywhere is finished by the next opening or has not begun, in the index and in all files', async () => {
  const secret = sample.batches[1]?.payloads[0];
  const words = new TextDecoder().decode(secret?.bytes);
  const erase = async (opened: Opened, { disk }: Prepared) => {
    const found = disk.state.batches.find(({ payloads }) => payloads.some(({ sha256 }) => sha256 === secret?.sha256));
    if (found === undefined) return;
    const payloads = found.payloads.filter(({ sha256 }) => sha256 !== secret?.sha256);
    valueOf(await opened.files.replace([{ ...found, payloads }]));
    await sweep(opened, true);
  };
  const isLeft = ({ disk }: Prepared) => {
    const inFiles = [...disk.files.values()].some(({ bytes }) => new TextDecoder().decode(bytes).includes(words));
    const inIndex = disk.state.batches.some(({ payloads }) => payloads.some(({ sha256 }) => sha256 === secret?.sha256));
    expect(inFiles).toBe(inIndex);
    return inIndex;
  };
  const prepare = async () => {
    const disk = new MemoryDisk();
    await visit({ disk }, appendSample);
    return { disk };
  };
  const left = new Set<boolean>();
  const cuts = await eachCut(prepare, erase, async (prepared, where) => {
    await visit(prepared, (opened) => sweep(opened));
    const wasLeft = isLeft(prepared);
    left.add(wasLeft);
    prepared.disk.wipe();
    await visit(prepared, (opened) => sweep(opened));
    expect(isLeft(prepared), where).toBe(wasLeft);
    await visit(prepared, (opened) => erase(opened, prepared));
    expect(isLeft(prepared), where).toBe(false);
    expect(textsOf(prepared.disk, sample.run_id), where).toEqual(texts);
  });
  expect(cuts).toBeGreaterThan(10);
  expect([...left]).toEqual([true, false]);
});
