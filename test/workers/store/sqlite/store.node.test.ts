import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import { type Outcome, pass } from '../../../../core/outcome.ts';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { makeRetention } from '../../../../workers/kernel/retention.ts';
import { runCommand, type Terminal } from '../../../../workers/node/command/command.ts';
import { fsck } from '../../../../workers/node/command/fsck.ts';
import { fromScript, openRuntime } from '../../../../workers/node.ts';
import { openSqlite } from '../../../../workers/sqlite.ts';
import { crc32, encodeHeader } from '../../../../workers/store/journal/header.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import type { SharedStore } from '../../../../workers/store/shared-store.ts';
import { sqlModule } from '../../../../workers/store/sqlite/connection.ts';
import { lookAtSqlite, openSqliteStore } from '../../../../workers/store/sqlite/store.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { runId, sampleRun } from '../../../core/ledger/sample.ts';
import { forgettingSuite } from '../../../runtime/forgotten-suite.ts';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { storeSuite, valueOf } from '../store-suite.ts';
import { tableSuite } from '../table-suite.ts';
import { ABSENT, HAS_SQLITE, makePlaces, newFiles } from './place.ts';

const newFile = newFiles();
const newPlace = makePlaces(newFile);
const run = sampleRun(1, 3, false);

async function appendAll(store: LedgerStore): Promise<void> {
  for (const batch of run.batches) valueOf(await store.append({ run_id: run.run_id, ...batch }, 'strict'));
}

const textsOf = async (store: LedgerStore) => valueOf(await readRecords(store, run.run_id));
const open = (path: string): SharedStore => valueOf(openSqliteStore(path));

/** File with a closed store that holds a run of 17 records and a row. */
async function filled(): Promise<string> {
  const path = newFile();
  const store = open(path);
  await appendAll(store);
  valueOf(await store.put([{ table: 'kept', key: 'k', value: 'kept' }], 'strict'));
  await store.close();
  return path;
}

/** Runs SQL on a file as another program would. */
function change(path: string, sql: string): void {
  const database = new (sqlModule().DatabaseSync)(path);
  database.exec(sql);
  database.close();
}

/** The runs that are held, or the refusal that the store throws. */
async function heldIn(store: SharedStore): Promise<Outcome<unknown>> {
  try {
    return pass(store.held());
  } catch (error) {
    if (error instanceof SallyportError && error.code === 'store_damaged')
      return refuse(error.code, { at: 0, what: '' });
    throw error;
  }
}

/** Refusal codes of everything that reads a store, in a list without repetitions. */
async function codesOf(store: SharedStore): Promise<readonly string[]> {
  const { run_id } = run;
  const reads = [
    await store.head(),
    await store.runs(),
    await store.snapshot(),
    await store.read(run_id),
    await store.log(0, 100),
    await store.payload(run_id, run.batches[0]?.payloads[0]?.sha256 ?? ''),
    await store.get('kept', 'k'),
    await store.all('kept'),
    await store.all('files'),
    await heldIn(store),
    await store.append({ ...sampleRun(2, 1, false).batches[0], run_id: runId(2) } as never, 'relaxed'),
  ];
  return [...new Set(reads.flatMap((read) => (read.ok ? [] : [read.refusal.code])))];
}

if (!HAS_SQLITE) {
  test.skip(ABSENT, () => undefined);
  test('openSqlite refuses a Node without SQLite, and names the Node that has it', () => {
    expect(() => openSqlite({ path: newFile() })).toThrow(
      expect.objectContaining({ code: 'store_unsupported', message: expect.stringContaining('Node 22') }),
    );
  });
  test('fsck names the Node that reads a file of SQLite', async () => {
    const terminal = { color: false } as Terminal;
    await expect(runCommand(fsck, [import.meta.filename], terminal)).rejects.toThrow(/Node 22/);
  });
} else {
  storeSuite('in SQLite', newPlace, 15);
  tableSuite('in SQLite', newPlace);
  retentionSuite('in SQLite', newPlace);
  const fileIn = (folder: string) => join(folder, 'ledger.sqlite');
  forgettingSuite('in SQLite', {
    open: (folder) => openSqlite({ path: fileIn(folder) }),
    openStore: (folder) => valueOf(openSqliteStore(fileIn(folder))),
    operand: fileIn,
  });

  describe('a file of SQLite', () => {
    test('the file and its folder are readable by their owner alone', async () => {
      const path = newFile();
      const store = open(path);
      await appendAll(store);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(dirname(path)))
        expect([name, statSync(join(dirname(path), name)).mode & 0o777]).toEqual([name, 0o600]);
      await store.close();
      expect(readdirSync(dirname(path))).toEqual(['ledger.sqlite']);
    });

    test.each([
      ['text', (path: string) => writeFileSync(path, 'ssh-ed25519 AAAA\n'.repeat(500)), 'store_damaged'],
      ['an empty file', (path: string) => writeFileSync(path, ''), 'store_damaged'],
      [
        'a database of another program',
        (path: string) => change(path, 'create table t (a); insert into t values (1)'),
        'store_damaged',
      ],
      ['a folder', (path: string) => mkdirSync(path), 'store_damaged'],
      ['a link', (path: string) => symlinkSync('/etc/hostname', path), 'store_damaged'],
    ])('%s in the place of the file is refused, and stays as it is', async (_title, make, code) => {
      const path = newFile();
      mkdirSync(dirname(path));
      make(path);
      const bytes = () => (statSync(path).isFile() ? readFileSync(path, 'hex') : readdirSync(path).join());
      const before = bytes();
      expect(openSqliteStore(path)).toMatchObject({ ok: false, refusal: { code } });
      expect(lookAtSqlite(path)).toMatchObject({ ok: false, refusal: { code } });
      expect(() => openSqlite({ path })).toThrow(expect.objectContaining({ code }));
      expect(bytes()).toBe(before);
    });

    test.each([
      ['of a newer version', 'pragma user_version = 2', 'store_newer'],
      ['without a version', 'pragma user_version = 0', 'store_damaged'],
      ['with a further table', 'create table t (a)', 'store_damaged'],
      ['with a trigger', 'create trigger t after insert on batch begin delete from batch; end', 'store_damaged'],
      ['with a view', 'create view v as select * from batch', 'store_damaged'],
      ['without an index', 'drop index payload_hash', 'store_damaged'],
      [
        'with another table of its name',
        'drop table claim; create table claim (name, owner, expires, asked)',
        'store_damaged',
      ],
    ])('a ledger %s is refused, and stays as it is', async (_title, sql, code) => {
      const path = await filled();
      change(path, sql);
      const before = readFileSync(path, 'hex');
      expect(openSqliteStore(path)).toMatchObject({ ok: false, refusal: { code } });
      expect(readFileSync(path, 'hex')).toBe(before);
    });

    test.each([
      ['a frame of other bytes', "update batch set frame = x'00ff'"],
      ['no bytes', 'update batch set frame = zeroblob(0)'],
      ['a frame of another batch', 'update batch set frame = (select frame from batch order by seq limit 1)'],
      ['a frame of another run', "update batch set run_id = 'other'"],
      ['another place in its run', 'update batch set run_seq = run_seq + 1000'],
      ['another place in the log', 'update batch set seq = seq + 1000'],
      [
        'a place beyond all numbers',
        'update batch set seq = 9223372036854775807 where seq = (select max(seq) from batch)',
      ],
      ['a payload of another hash', "update payload set sha256 = x''"],
      [
        'a lease beyond all numbers',
        "insert into claim values ('run:' || (select run_id from batch), 'x', 9223372036854775807, 0)",
      ],
      ['rows of another key', "update row set key = x'0041'"],
      ['rows of half a key', "update row set key = x'00'"],
      ['rows of another table', "update row set kind = 'files'"],
      ['a flipped bit in each frame', "update batch set frame = substr(frame, 1, 40) || x'00' || substr(frame, 42)"],
      ['a flipped bit in each row', "update row set frame = substr(frame, 1, 40) || x'00' || substr(frame, 42)"],
    ])('a tampered file with %s is refused by a code, and never throws', async (_title, sql) => {
      const path = await filled();
      let isStrict = false;
      try {
        change(path, sql);
      } catch {
        // STRICT tables take no value of another type
        isStrict = true;
      }
      const store = open(path);
      const codes = await codesOf(store);
      expect(codes.filter((code) => code !== 'store_damaged')).toEqual([]);
      expect(codes.length > 0 || isStrict).toBe(true);
      await store.close();
    });

    test.each([
      ['null', 'null'],
      ['nesting beyond the stack', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
      ['rows of two tables', '{"tables":[["files","k",1],["kept","k",1]]}'],
      ['a table that is none', '{"tables":[["nosuch","k",1]]}'],
      ['bytes that never come', '{"tables":[["kept","k",["b",0]]],"bytes":[4000000000]}'],
      [
        'four milliards of peaks',
        '{"batch":{"seq":0,"run_id":"r","run_seq":0,"size":1,"peaks":4000000000,"row":{},"records":[],"payloads":[]}}',
      ],
    ])('a frame with a right check sum and %s is refused by a code', async (_title, meta) => {
      const path = await filled();
      const text = Buffer.from(meta);
      const body = Buffer.concat([Buffer.alloc(4), text]);
      body.writeUInt32LE(text.length);
      const frame = Buffer.concat([encodeHeader({ state: 'live', length: body.length, crc: crc32(body) }), body]);
      change(
        path,
        `update batch set frame = x'${frame.toString('hex')}'; update row set frame = x'${frame.toString('hex')}'`,
      );
      const store = open(path);
      expect(await codesOf(store)).toEqual(['store_damaged']);
      await store.close();
    });

    test('no byte of a file that is changed makes a store throw', async () => {
      const path = await filled();
      const whole = readFileSync(path);
      for (let at = 0; at < whole.length; at += 997) {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ 0xff;
        writeFileSync(path, bytes);
        const store = openSqliteStore(path);
        if (!store.ok) {
          expect(['store_damaged', 'store_newer', 'store_lost']).toContain(store.refusal.code);
          continue;
        }
        for (const code of await codesOf(store.value)) expect(['store_damaged', 'store_lost']).toContain(code);
        await store.value.close();
      }
    });

    test('the file holds no erased payload and no replaced or removed row after an erasure', async () => {
      const path = newFile();
      const store = open(path);
      await appendAll(store);
      const rows = (value: string | undefined) => [{ table: 'files' as const, key: 'a.md', value }];
      for (const text of ['first words', 'second words', undefined]) valueOf(await store.put(rows(text), 'relaxed'));
      valueOf(await store.put([{ table: 'kept', key: 'k', value: 'old kept' }], 'relaxed'));
      valueOf(await store.put([{ table: 'kept', key: 'k', value: 'new kept' }], 'relaxed'));
      const bytes = () =>
        readdirSync(dirname(path))
          .map((name) => readFileSync(join(dirname(path), name), 'latin1'))
          .join();
      const secret = new TextDecoder('latin1').decode(run.batches[1]?.payloads[0]?.bytes);
      for (const text of [secret, 'first words', 'second words', 'old kept']) expect(bytes()).toContain(text);
      valueOf(await makeRetention({ store }, async (_, act) => act()).erase(run.run_id));
      for (const text of [secret, 'first words', 'second words', 'old kept']) expect(bytes()).not.toContain(text);
      expect(bytes()).toContain('new kept');
      expect(await textsOf(store)).toHaveLength(17);
      await store.close();
    });

    test('a file that is looked at stays as it is, and is read while another store writes it', async () => {
      const path = await filled();
      const before = readFileSync(path, 'hex');
      const looked = valueOf(lookAtSqlite(path));
      expect(await textsOf(looked)).toHaveLength(17);
      expect(await looked.put([{ table: 'kept', key: 'a', value: 1 }], 'relaxed')).toMatchObject({
        ok: false,
        refusal: { code: 'store_lost' },
      });
      await looked.close();
      expect(readFileSync(path, 'hex')).toBe(before);
    });

    test('a store that is shared is neither destroyed nor alone', async () => {
      const path = await filled();
      const [store, other] = [open(path), open(path)];
      expect(await store.isShared?.()).toBe(true);
      expect(await store.destroy()).toMatchObject({ ok: false, refusal: { code: 'store_busy' } });
      expect(await textsOf(store)).toHaveLength(17);
      await other.close();
      expect(await store.isShared?.()).toBe(false);
      const third = open(path);
      valueOf(await third.put([{ table: 'kept', key: 'k', value: 'new' }], 'strict'));
      expect(valueOf(await store.get('kept', 'k'))).toBe('new');
      await third.close();
      valueOf(await store.destroy());
      expect(readdirSync(dirname(path))).toEqual([]);
      expect(await store.head()).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
      const again = open(path);
      expect(valueOf(await again.head()).size).toBe(0);
      await again.close();
    });

    test('a file that is made while another process makes it is the file of the first', async () => {
      const [path, first] = [newFile(), await filled()];
      mkdirSync(dirname(path));
      linkSync(first, path);
      const store = open(path);
      expect(await textsOf(store)).toHaveLength(17);
      await store.close();
      expect(readdirSync(dirname(path))).toEqual(['ledger.sqlite']);
    });
  });

  test('a runtime opens the store that it is given, and closes it', async () => {
    const path = newFile();
    const runtime = await openRuntime({ store: openSqlite({ path }) });
    expect(runtime.info.store.kind).toBe('sqlite');
    const started = runtime.start({
      dialect: 'xct',
      task: 'Say.',
      model: fromScript([{ done: true, message: 'done' }]),
    });
    expect(await started.result).toMatchObject({ state: 'completed' });
    await runtime.close();
    const again = await openRuntime({ store: openSqlite({ path }) });
    expect(await again.ledger.verify(started.id)).toMatchObject({ ok: true });
    expect(await again.ledger.fsck()).toMatchObject({ ok: true });
    await again.storage.deleteEverything();
    expect(readdirSync(dirname(path))).toEqual([]);
  });
}

test.each([{}, null, 1, { kind: 'sqlite' }, { kind: 'sqlite', append: () => undefined, close: () => undefined }])(
  'a runtime refuses %j as a store',
  async (store) => {
    await expect(openRuntime({ store: store as never })).rejects.toMatchObject({ code: 'store_unknown' });
  },
);
