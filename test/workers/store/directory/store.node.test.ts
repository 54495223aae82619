import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openAsBlob,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { makeRetention } from '../../../../workers/kernel/retention.ts';
import { fromScript, openRuntime } from '../../../../workers/node.ts';
import { batchesOfRun } from '../../../../workers/store/directory/batches.ts';
import { openFile, replaceFile } from '../../../../workers/store/directory/file.ts';
import { DirectoryLog, type Rewrite } from '../../../../workers/store/directory/log.ts';
import { openDirectoryStore } from '../../../../workers/store/directory/store.ts';
import { type ByteFile, frames } from '../../../../workers/store/journal/journal.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import type { Batch, LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { storeSuite, valueOf } from '../store-suite.ts';
import { tableSuite } from '../table-suite.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-directory-'));
let places = 0;
const newDirectory = () => join(base, `place-${places++}`);
async function newPlace() {
  const directory = newDirectory();
  return { open: async () => valueOf(openDirectoryStore(directory)) };
}

afterAll(() => rmSync(base, { recursive: true, force: true }));

storeSuite('in a directory', newPlace, 15);
tableSuite('in a directory', newPlace);
retentionSuite('in a directory', newPlace);

const run = sampleRun(1, 3, false);
const journalOf = (directory: string) => join(directory, 'ledger.journal');
const witnessOf = (directory: string) => join(directory, 'ledger.witness');

async function appendFrom(store: LedgerStore, from: number, to = run.batches.length): Promise<void> {
  for (const batch of run.batches.slice(from, to)) {
    valueOf(await store.append({ run_id: run.run_id, ...batch }, 'strict'));
  }
}

function spend(power: { left: number }): void {
  if (power.left-- <= 0) throw new Error('the power went');
}

const failing = (file: ByteFile, power: { left: number }): ByteFile => ({
  ...file,
  write(bytes, at) {
    spend(power);
    file.write(bytes, at);
  },
});

const recordsOf = (log: DirectoryLog) => [...batchesOfRun(log, run.run_id)].flatMap(({ records }) => records);

/** Directory with a closed store that holds a run of four batches. */
async function filled(): Promise<string> {
  const directory = newDirectory();
  const store = valueOf(openDirectoryStore(directory));
  await appendFrom(store, 0);
  await store.close();
  return directory;
}

const textsOf = async (store: LedgerStore) => valueOf(await readRecords(store, run.run_id));

describe('a directory', () => {
  test('a journal that is torn in its last frame loses that frame, and goes on', async () => {
    const directory = await filled();
    const marked = readFileSync(journalOf(directory));
    // The last frame says only that the frames before it were flushed.
    const whole = marked.subarray(0, marked.lastIndexOf('SPJ1'));
    const last = whole.lastIndexOf('SPJ1');
    for (let size = last; size < whole.length; size += 397) {
      // No witness had seen the torn frame before it was flushed.
      rmSync(witnessOf(directory));
      writeFileSync(journalOf(directory), whole.subarray(0, size));
      const store = valueOf(openDirectoryStore(directory));
      expect(await textsOf(store)).toHaveLength(12);
      await appendFrom(store, 3);
      await store.close();
      const again = valueOf(openDirectoryStore(directory));
      expect(await textsOf(again)).toHaveLength(17);
      await again.close();
    }
  });

  test('a journal loses the bytes behind its last frame when it is opened', async () => {
    const directory = await filled();
    const { size } = statSync(journalOf(directory));
    appendFileSync(journalOf(directory), Uint8Array.of(0x53, 0x50, 0x4a, 0x31, 255, 255));
    const store = valueOf(openDirectoryStore(directory));
    expect(await textsOf(store)).toHaveLength(17);
    await store.close();
    expect(statSync(journalOf(directory)).size).toBe(size);
  });

  test('a store that was closed in order tells damage from a torn end, also in relaxed records', async () => {
    const directory = newDirectory();
    const store = valueOf(openDirectoryStore(directory));
    for (const batch of run.batches) valueOf(await store.append({ run_id: run.run_id, ...batch }, 'relaxed'));
    await store.close();
    const bytes = readFileSync(journalOf(directory));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(journalOf(directory), bytes);
    expect(openDirectoryStore(directory)).toMatchObject({ ok: false, refusal: { code: 'store_damaged' } });
  });

  test('a journal that is damaged before its last frame is neither opened nor changed', async () => {
    const directory = await filled();
    const whole = readFileSync(journalOf(directory));
    const last = whole.lastIndexOf('SPJ1');
    for (let at = 0; at < last; at += 1_013) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      writeFileSync(journalOf(directory), damaged);
      expect([at, openDirectoryStore(directory)]).toMatchObject([
        at,
        { ok: false, refusal: { code: 'store_damaged' } },
      ]);
      expect(readFileSync(journalOf(directory))).toEqual(damaged);
    }
    writeFileSync(journalOf(directory), whole);
    const store = valueOf(openDirectoryStore(directory));
    expect(await textsOf(store)).toHaveLength(17);
    await store.close();
  });

  test('an emptied journal without a witness is an empty log, and an append to its old run is refused', async () => {
    const directory = await filled();
    truncateSync(journalOf(directory), 0);
    rmSync(witnessOf(directory));
    const store = valueOf(openDirectoryStore(directory));
    const [, second] = run.batches;
    if (second === undefined) throw new Error('no sample');
    expect(await store.append({ run_id: run.run_id, ...second }, 'strict')).toMatchObject({
      ok: false,
      refusal: { code: 'head_moved' },
    });
    await store.close();
  });

  test('the journal holds no erased payload and no replaced or removed row after an erasure', async () => {
    const directory = newDirectory();
    const store = valueOf(openDirectoryStore(directory));
    await appendFrom(store, 0);
    const rows = (value: string | undefined) => [{ table: 'files' as const, key: 'a.md', value }];
    for (const text of ['first words', 'second words', undefined]) valueOf(await store.put(rows(text), 'relaxed'));
    valueOf(await store.put([{ table: 'kept', key: 'k', value: 'old kept' }], 'relaxed'));
    valueOf(await store.put([{ table: 'kept', key: 'k', value: 'new kept' }], 'relaxed'));
    const bytes = () => readFileSync(journalOf(directory), 'latin1');
    const secret = new TextDecoder('latin1').decode(run.batches[1]?.payloads[0]?.bytes);
    for (const text of [secret, 'first words', 'second words', 'old kept']) expect(bytes()).toContain(text);
    valueOf(await makeRetention({ store }, async (_, act) => act()).erase(run.run_id));
    for (const text of [secret, 'first words', 'second words', 'old kept']) expect(bytes()).not.toContain(text);
    expect(bytes()).toContain('new kept');
    expect(await textsOf(store)).toHaveLength(17);
    await store.close();
    const again = valueOf(openDirectoryStore(directory));
    expect(valueOf(await again.all('kept'))).toEqual([['k', 'new kept']]);
    expect(valueOf(await again.all('files'))).toEqual([]);
    expect(await textsOf(again)).toHaveLength(17);
    await again.close();
  });

  test('replacements and a rewrite of the journal that are asked for at the same time all succeed', async () => {
    const directory = newDirectory();
    const store = valueOf(openDirectoryStore(directory));
    await appendFrom(store, 0);
    const [first, ...rest] = valueOf(await store.read(run.run_id));
    const less = { ...(first as Batch), payloads: [] };
    for (const done of await Promise.all([store.replace([less]), store.tidy(), store.replace([less])])) valueOf(done);
    expect(valueOf(await store.read(run.run_id))).toEqual([less, ...rest]);
    await store.close();
    const again = valueOf(openDirectoryStore(directory));
    expect(valueOf(await again.read(run.run_id))).toEqual([less, ...rest]);
    await again.close();
    expect(await store.read(run.run_id)).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
  });

  test('a journal whose frames are mostly obsolete is rewritten when it is opened', async () => {
    const directory = newDirectory();
    const store = valueOf(openDirectoryStore(directory));
    const put = (value: string) => store.put([{ table: 'files', key: 'a.md', value }], 'relaxed');
    for (const letter of 'abcd') valueOf(await put(letter.repeat(600_000)));
    await store.close();
    expect(statSync(journalOf(directory)).size).toBeGreaterThan(2_400_000);
    const again = valueOf(openDirectoryStore(directory));
    expect(statSync(journalOf(directory)).size).toBeLessThan(601_000);
    expect(valueOf(await again.get('files', 'a.md'))).toBe('d'.repeat(600_000));
    await again.close();
  });

  test('a journal is rewritten while a run appends, when a row is replaced over and over', async () => {
    const directory = newDirectory();
    const store = valueOf(openDirectoryStore(directory));
    const heap = (nth: number) => new Uint8Array(1 << 20).fill(nth);
    const sizes: number[] = [];
    const long = sampleRun(3, 40, false);
    for (const [nth, batch] of long.batches.entries()) {
      const tables = [{ table: 'kept' as const, key: 'parked/x', value: { bytes: heap(nth) } }];
      valueOf(await store.append({ run_id: long.run_id, ...batch, tables }, nth % 2 === 0 ? 'strict' : 'relaxed'));
      sizes.push(statSync(journalOf(directory)).size);
    }
    expect(long.batches.length).toBeGreaterThan(30);
    expect(Math.max(...sizes)).toBeLessThan(12 << 20);
    const isLast = async (from: LedgerStore) => {
      const row = valueOf(await from.get('kept', 'parked/x')) as { readonly bytes: Uint8Array };
      return Buffer.from(row.bytes).equals(heap(long.batches.length - 1));
    };
    expect(await isLast(store)).toBe(true);
    await store.close();
    const again = valueOf(openDirectoryStore(directory));
    expect(await isLast(again)).toBe(true);
    expect(valueOf(await readRecords(again, long.run_id))).toEqual(
      long.batches.flatMap(({ records }) => records.map(({ text }) => text)),
    );
    await again.close();
  });

  test('a rewrite of the journal that stops at any write leaves a whole journal, old or new', async () => {
    const wanted = await textsOf(valueOf(openDirectoryStore(await filled())));
    for (let left = 0, done = false; !done; left++) {
      const path = journalOf(await filled());
      const power = { left };
      const rewrite: Rewrite = (fill, close) =>
        replaceFile(
          path,
          (file) => fill(failing(file, power)),
          () => (spend(power), close()),
        );
      const log = valueOf(DirectoryLog.open(openFile(path), rewrite));
      done = (await log.tidy()).ok;
      // A failed rewrite goes on with the old file. A stopped rewrite leaves the old file to the next start.
      const again = valueOf(DirectoryLog.open(openFile(path), rewrite));
      for (const each of [log, again]) expect(recordsOf(each), `stopped at ${left}`).toEqual(wanted);
      if (done) expect(left).toBe(7);
    }
  });

  const large = (letter: string) =>
    ['a', 'b', 'c'].map((key) => ({ table: 'files' as const, key, value: letter.repeat(300_000) }));
  const never: Rewrite = () => {
    throw new Error('it is not made anew');
  };
  const begin =
    (path: string): Rewrite =>
    (fill, close) =>
      replaceFile(path, fill, close);
  const lettersOf = (log: DirectoryLog) =>
    [...log.contents.tables.files.values()].map((value) => String(value).slice(0, 1));

  test('a large change is written in parts that count together or not at all, wherever it stops', async () => {
    for (let left = 0, done = false; !done; left++) {
      const path = newDirectory();
      const log = valueOf(DirectoryLog.open(openFile(path), begin(path)));
      valueOf(await log.put(large('1')));
      const power = { left };
      const file = { ...failing(openFile(path), power), truncate: () => spend(power) };
      const stopped = valueOf(DirectoryLog.open(file, never));
      done = (await stopped.put(large('2'))).ok;
      const again = valueOf(DirectoryLog.open(openFile(path), never));
      expect(lettersOf(again), `stopped at ${left}`).toEqual(Array(3).fill(done ? '2' : '1'));
      if (done) expect(left).toBe(3);
    }
  });

  test('appends wait for a large change, and no frame of the journal is as large as the change', async () => {
    const path = newDirectory();
    const log = valueOf(DirectoryLog.open(openFile(path), begin(path)));
    const [first, ...rest] = run.batches.map((batch) => ({ run_id: run.run_id, ...batch }));
    if (first === undefined) throw new Error('no sample');
    const outcomes = await Promise.all([
      log.put(large('1')),
      log.append(first, 'strict'),
      log.put(large('2')),
      ...rest.map((batch) => log.append(batch, 'relaxed')),
    ]);
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    await log.close();
    const file = openFile(path);
    expect(Math.max(...[...frames(file)].map(({ length }) => length))).toBeLessThan(400_000);
    const again = valueOf(DirectoryLog.open(file, never));
    expect(lettersOf(again)).toEqual(['2', '2', '2']);
    expect(recordsOf(again)).toEqual(recordsOf(valueOf(DirectoryLog.open(openFile(journalOf(await filled())), never))));
  });
});

test('a runtime continues the ledger of a directory, and two runtimes never write the same run', async () => {
  const directory = newDirectory();
  const model = () => fromScript([{ done: true, message: 'done' }]);
  const first = await openRuntime({ store: { directory } });
  expect(first.info.store.kind).toBe('directory');
  const run = first.start({ dialect: 'xct', task: 'Say.', model: model(), paused: true });
  const records = run.records()[Symbol.asyncIterator]();
  await records.next();
  const second = await openRuntime({ store: { directory } });
  await expect(second.resume(run.id, model())).rejects.toMatchObject({ code: 'run_open' });
  await second.close();
  await first.close();
  const third = await openRuntime({ store: { directory } });
  expect(await third.ledger.verify(run.id)).toMatchObject({ ok: true });
  expect(await third.runs()).toMatchObject([{ run_id: run.id, sealed: true, ended: 'aborted' }]);
  await third.close();
}, 30_000);

test('a directory that is opened while its last store closes is opened again, and holds every record', async () => {
  const directory = newDirectory();
  const store = valueOf(openDirectoryStore(directory));
  await appendFrom(store, 0, 1);
  const closing = store.close();
  const next = valueOf(openDirectoryStore(directory));
  await closing;
  await appendFrom(next, 1, 2);
  await Promise.all([next.close(), valueOf(openDirectoryStore(directory)).close()]);
  const again = valueOf(openDirectoryStore(directory));
  expect(valueOf(await readRecords(again, run.run_id))).toHaveLength(7);
  await again.close();
  expect(existsSync(join(directory, 'lock'))).toBe(false);
});

test('a directory that is opened while it is deleted stays, and takes records', async () => {
  const directory = newDirectory();
  const store = valueOf(openDirectoryStore(directory));
  await appendFrom(store, 0, 1);
  const deleting = store.destroy();
  const next = valueOf(openDirectoryStore(directory));
  expect(await deleting).toMatchObject({ ok: false, refusal: { code: 'store_busy' } });
  await appendFrom(next, 1, 2);
  await next.close();
  expect(await store.destroy()).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
  const again = valueOf(openDirectoryStore(directory));
  expect(valueOf(await readRecords(again, run.run_id))).toHaveLength(7);
  valueOf(await again.destroy());
  expect(readdirSync(directory)).toEqual([]);
});

test('a refused deletion ends no run, and a directory that could not be opened opens later', async () => {
  const directory = newDirectory();
  const [one, other] = [await openRuntime({ store: { directory } }), await openRuntime({ store: { directory } })];
  const run = one.start({
    dialect: 'xct',
    task: 'Say.',
    model: fromScript([{ done: true, message: 'm' }]),
    paused: true,
  });
  await run.pause();
  await expect(one.storage.deleteEverything()).rejects.toMatchObject({ code: 'store_busy' });
  await run.run();
  expect(await run.result).toMatchObject({ state: 'completed' });
  await other.close();
  await one.storage.deleteEverything();
  await expect(one.runs()).rejects.toMatchObject({ code: 'runtime_closed' });
  await one.close();
  mkdirSync(journalOf(directory));
  await expect(openRuntime({ store: { directory } })).rejects.toMatchObject({
    name: 'SallyportError',
    code: 'store_damaged',
    message: expect.stringContaining('no file of its own'),
  });
  rmSync(journalOf(directory), { recursive: true });
  const again = await openRuntime({ store: { directory } });
  expect(await again.runs()).toEqual([]);
  await again.close();
});

test('a runtime that is closed during an erasure and a deletion completes both', async () => {
  const directory = newDirectory();
  const first = await openRuntime({ store: { directory } });
  const runs = ['one', 'two', 'three'].map((message) =>
    first.start({ dialect: 'xct', task: message, model: fromScript([{ done: true, message }]) }),
  );
  await Promise.all(runs.map((each) => each.result));
  const [one, two, three] = runs.map(({ id }) => id) as [string, string, string];
  await first.ledger.archive(three);
  await Promise.all([first.ledger.erase(one), first.ledger.delete(two), first.close()]);
  const second = await openRuntime({ store: { directory } });
  expect((await second.storage.events()).map(({ body }) => (body as { event: string }).event)).toEqual([
    'archived',
    'erased',
    'deleted',
  ]);
  const [row, ...others] = (await second.runs()).filter(({ run_id }) => run_id === one);
  const texts = (await second.ledger.export(one)).split('\n');
  expect([row?.sealed, others, texts.filter((line) => line.includes('"payload":')).length]).toEqual([true, [], 1]);
  expect(await second.ledger.fsck()).toMatchObject({ ok: true, runs: { length: 3 } });
  await second.close();
});

test('a backup is written to a file and restored from it, and a failed or tried restore adds no run', async () => {
  const [runtime, other] = await Promise.all(
    [newDirectory(), newDirectory()].map((directory) => openRuntime({ store: { directory } })),
  );
  if (runtime === undefined || other === undefined) throw new Error('no runtime');
  const run = runtime.start({ dialect: 'xct', task: 'Say.', model: fromScript([{ done: true, message: 'done' }]) });
  await run.result;
  const path = join(base, 'all.backup');
  await runtime.storage.backupTo(Writable.toWeb(createWriteStream(path)) as WritableStream<Uint8Array>);
  const full = new WritableStream<Uint8Array>({ write: () => Promise.reject(new Error('the disk is full')) });
  await expect(runtime.storage.backupTo(full)).rejects.toThrow('the disk is full');
  const aborted = { signal: AbortSignal.abort(new Error('given up')) };
  await expect(runtime.storage.backupTo(new WritableStream(), aborted)).rejects.toThrow('given up');
  const backup = await openAsBlob(path);
  await other.storage.restore(backup, { only: 'tried' });
  expect(await other.runs()).toEqual([]);
  truncateSync(path, readFileSync(path).length - 1);
  await expect(other.storage.restore(backup)).rejects.toMatchObject({ name: 'NotReadableError' });
  await expect(other.storage.restore(await openAsBlob(path))).rejects.toMatchObject({ code: 'backup_refused' });
  expect(await other.runs()).toEqual([]);
  await other.storage.restore(await runtime.storage.backup());
  expect(await other.ledger.verify(run.id)).toMatchObject({ ok: true });
  await Promise.all([runtime.close(), other.close()]);
}, 30_000);

test('a file in the place of the directory, or below the path of one, is refused with its true cause', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sallyport-')), 'file');
  writeFileSync(file, 'x');
  for (const path of [file, join(file, 'below')]) {
    const refused = openDirectoryStore(path);
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'store_unopened' } });
    expect(refused.ok ? '' : refused.refusal.message).toMatch(/is a file/);
  }
});
