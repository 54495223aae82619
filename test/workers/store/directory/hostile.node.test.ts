import { spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { concatBytes, encodeText } from '../../../../core/json/utf8.ts';
import { EXIT, runCommand, type Terminal, UsageError } from '../../../../workers/node/command/command.ts';
import { fsck } from '../../../../workers/node/command/fsck.ts';
import { openRuntime } from '../../../../workers/node.ts';
import { openDirectoryStore } from '../../../../workers/store/directory/store.ts';
import { crc32, encodeHeader } from '../../../../workers/store/journal/header.ts';
import { bytesAsFile, frames } from '../../../../workers/store/journal/journal.ts';
import { runId, sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

// A directory may hold foreign entries under the names of a ledger. It is refused by a code and stays as it is.

const base = mkdtempSync(join(tmpdir(), 'sallyport-hostile-'));
let places = 0;
function newDirectory(): string {
  const directory = join(base, `place-${places++}`);
  mkdirSync(directory);
  return directory;
}
afterAll(() => rmSync(base, { recursive: true, force: true }));

const journalOf = (directory: string) => join(directory, 'ledger.journal');
const witnessOf = (directory: string) => join(directory, 'ledger.witness');
const lockOf = (directory: string) => join(directory, 'lock');

/** A lock as a process here writes it, with other members. */
async function lockWith(members: object): Promise<string> {
  const directory = newDirectory();
  const store = valueOf(openDirectoryStore(directory));
  const lock = JSON.parse(readFileSync(lockOf(directory), 'utf8')) as object;
  await store.close();
  return JSON.stringify({ ...lock, began: undefined, ...members });
}

/** Gives a file the time of a change that long ago. */
function aged(path: string, ms: number): void {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
}

/** Names and contents of a directory. An entry that is not a file is shown by its mode. */
function contentsOf(directory: string): readonly (readonly [string, string])[] {
  return readdirSync(directory)
    .toSorted()
    .map((name) => {
      const path = join(directory, name);
      const stat = lstatSync(path);
      return [name, stat.isFile() ? readFileSync(path, 'hex') : `mode ${stat.mode}`] as const;
    });
}

/** Exit code and output of `sallyport fsck`. */
async function checked(directory: string): Promise<readonly [code: number, said: string]> {
  let said = '';
  const say = (text: string) => void (said += text);
  const terminal = { color: false, print: say, complain: say, printJson: say, read: async () => encodeText('') };
  try {
    return [await runCommand(fsck, [directory], terminal as unknown as Terminal), said];
  } catch (error) {
    if (error instanceof UsageError) return [EXIT.usage, error.message];
    throw error;
  }
}

async function refusal(directory: string): Promise<unknown> {
  try {
    await (await openRuntime({ store: { directory } })).close();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const run = sampleRun(1, 3, false);

/** Directory with a closed store that holds a run of four batches. */
async function filled(): Promise<string> {
  const directory = newDirectory();
  const store = valueOf(openDirectoryStore(directory));
  for (const batch of run.batches) valueOf(await store.append({ run_id: run.run_id, ...batch }, 'strict'));
  valueOf(await store.put([{ table: 'kept', key: 'own/notes/a', value: { text: '1', labels: [] } }], 'strict'));
  await store.close();
  return directory;
}

/** Expects `fsck` and the runtime to refuse the directory and to leave it unchanged. */
async function expectRefused(directory: string, code: string, says: string): Promise<void> {
  const before = contentsOf(directory);
  const [exit, said] = await checked(directory);
  expect([exit, said]).toEqual([code === 'store_locked' ? 64 : 2, expect.stringContaining(says)]);
  expect(contentsOf(directory)).toEqual(before);
  expect(await refusal(directory)).toBe(code);
  expect(contentsOf(directory)).toEqual(before);
}

describe('a journal that is no journal', () => {
  test.each([
    ['of zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['of other bytes', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (byte * 7 + at * 13) & 255))],
    ['of text', () => Buffer.from('ssh-ed25519 AAAA somebody\n'.repeat(20))],
    ['without its first frame', (bytes: Buffer) => bytes.subarray(20)],
    ['behind one byte', (bytes: Buffer) => Buffer.concat([Buffer.of(0), bytes])],
  ])('a journal %s is refused, and stays as it is', async (_title, change) => {
    const directory = await filled();
    writeFileSync(journalOf(directory), change(readFileSync(journalOf(directory))));
    await expectRefused(directory, 'store_damaged', 'ledger');
    rmSync(witnessOf(directory));
    await expectRefused(directory, 'store_damaged', 'ledger');
  });

  test.skipIf(process.platform === 'win32')(
    'a journal that is a link, a folder or a pipe is refused, and its target stays unchanged',
    async () => {
      const [linked, folder, pipe, dangling] = [newDirectory(), newDirectory(), newDirectory(), newDirectory()];
      const victim = join(base, 'victim-keys');
      for (const text of ['precious\n'.repeat(10), '']) {
        writeFileSync(victim, text);
        rmSync(journalOf(linked), { force: true });
        symlinkSync(victim, journalOf(linked));
        await expectRefused(linked, 'store_damaged', 'no file of its own');
        expect(readFileSync(victim, 'utf8')).toBe(text);
      }
      mkdirSync(journalOf(folder));
      expect(spawnSync('sh', ['-c', 'mkfifo "$0"', journalOf(pipe)]).status).toBe(0);
      symlinkSync(join(base, 'nowhere'), journalOf(dangling));
      for (const directory of [folder, pipe]) await expectRefused(directory, 'store_damaged', 'no file of its own');
      expect(await refusal(dangling)).toBe('store_damaged');
      expect(readdirSync(base)).not.toContain('nowhere');
    },
  );

  test.skipIf(process.platform === 'win32')(
    'the witness is not written through a hard link to a foreign file',
    async () => {
      const directory = newDirectory();
      const victim = join(base, 'victim-witness');
      writeFileSync(victim, 'precious');
      linkSync(victim, witnessOf(directory));
      const store = valueOf(openDirectoryStore(directory));
      for (const batch of run.batches) valueOf(await store.append({ run_id: run.run_id, ...batch }, 'strict'));
      await store.close();
      expect(readFileSync(victim, 'utf8')).toBe('precious');
      expect(readFileSync(witnessOf(directory), 'utf8')).toContain('"bytes":');
    },
  );

  test.skipIf(process.platform === 'win32')(
    'the new journal and the witness are not written through symbolic links',
    async () => {
      const directory = newDirectory();
      const victim = join(base, 'victim-new');
      writeFileSync(victim, 'precious');
      for (const name of [`${journalOf(directory)}.new`, witnessOf(directory)]) symlinkSync(victim, name);
      const store = valueOf(openDirectoryStore(directory));
      for (const batch of run.batches) valueOf(await store.append({ run_id: run.run_id, ...batch }, 'strict'));
      await store.close();
      expect(readFileSync(victim, 'utf8')).toBe('precious');
    },
  );
});

describe('a journal that has lost flushed records', () => {
  test('the witness reveals a journal that was cut between two frames, emptied or removed', async () => {
    const directory = await filled();
    const whole = readFileSync(journalOf(directory));
    const ends = [...frames(bytesAsFile(whole))].map(({ at }) => at);
    expect(ends.length).toBeGreaterThan(8);
    // The last frame says that the frames before it are on the disk. It is not flushed itself.
    for (const end of ends.slice(0, -1)) {
      writeFileSync(journalOf(directory), whole.subarray(0, end));
      await expectRefused(directory, 'store_damaged', 'ledger.witness');
    }
    rmSync(journalOf(directory));
    await expectRefused(directory, 'store_damaged', 'is gone');
    writeFileSync(journalOf(directory), whole);
    expect(await checked(directory)).toEqual([0, expect.stringContaining('The log is whole')]);
    expect(await refusal(directory)).toBeUndefined();
  });

  test('the root in the witness reveals a journal that was replaced by a journal with other records', async () => {
    const [directory, other] = [await filled(), newDirectory()];
    const store = valueOf(openDirectoryStore(other));
    const stranger = sampleRun(2, 3, false);
    for (const batch of stranger.batches) valueOf(await store.append({ run_id: stranger.run_id, ...batch }, 'strict'));
    await store.close();
    writeFileSync(journalOf(directory), readFileSync(journalOf(other)));
    await expectRefused(directory, 'store_damaged', 'other records');
  });

  test('a journal opens when its witness is torn or foreign', async () => {
    const directory = await filled();
    const witness = readFileSync(witnessOf(directory));
    const flipped = Buffer.from(witness);
    flipped[20] = (flipped[20] ?? 0) ^ 1;
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(256), witness.subarray(0, 100), flipped, Buffer.from('{}')]) {
      writeFileSync(witnessOf(directory), bytes);
      expect(await refusal(directory)).toBeUndefined();
    }
  });

  test('a journal that was rewritten and became shorter opens with the witness of the old journal', async () => {
    const directory = newDirectory();
    const first = valueOf(openDirectoryStore(directory));
    const row = (letter: string) => [{ table: 'files' as const, key: 'a.md', value: letter.repeat(400_000) }];
    for (const letter of 'abcd') valueOf(await first.put(row(letter), 'strict'));
    const old = readFileSync(witnessOf(directory));
    valueOf(await first.tidy());
    await first.close();
    // A power cut may leave the new file beside the witness of the old file.
    writeFileSync(witnessOf(directory), old);
    expect(readFileSync(journalOf(directory)).length).toBeLessThan(500_000);
    expect(await refusal(directory)).toBeUndefined();
  });
});

test('fsck leaves a directory unchanged, with its torn end and without a lock', async () => {
  const directory = await filled();
  const torn = Buffer.concat([readFileSync(journalOf(directory)), Buffer.of(0x53, 0x50, 0x4a, 0x31, 9, 9)]);
  writeFileSync(journalOf(directory), torn);
  const before = contentsOf(directory);
  const said = 'The log is whole: 17 records6 bytes behind the last record cannot be read';
  expect(await checked(directory)).toEqual([0, expect.stringContaining(said)]);
  expect(contentsOf(directory)).toEqual(before);
  writeFileSync(lockOf(directory), await lockWith({ pid: process.ppid }));
  expect(await checked(directory)).toEqual([64, expect.stringContaining(`Process ${process.ppid}`)]);
  rmSync(lockOf(directory));
  truncateSync(journalOf(directory), torn.length - 6);
  expect(await refusal(directory)).toBeUndefined();
});

test('fsck does not call a file whole that is a first frame and bytes behind it', async () => {
  const directory = await filled();
  const journal = readFileSync(journalOf(directory));
  const first = journal.subarray(0, 12 + journal.readUInt32LE(4));
  writeFileSync(journalOf(directory), Buffer.concat([first, Buffer.alloc(20_000, 7)]));
  rmSync(witnessOf(directory));
  const before = contentsOf(directory);
  expect(await checked(directory)).toEqual([
    1,
    expect.stringContaining('no record can be read, and 20000 bytes cannot'),
  ]);
  expect(contentsOf(directory)).toEqual(before);
});

describe('a lock', () => {
  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to nothing', (path: string) => symlinkSync('./nowhere', path)],
    ['a pipe', (path: string) => void spawnSync('sh', ['-c', 'mkfifo "$0"', path])],
  ])('a lock that is %s is refused at once, and stays', async (_title, make) => {
    const directory = await filled();
    make(lockOf(directory));
    await expectRefused(directory, 'store_locked', 'no file of its own');
  });

  test.each([0, -1, 2 ** 53, 2 ** 31, 1.5])(
    'a lock with the impossible process id %d keeps the directory closed for 30 seconds',
    async (pid) => {
      const directory = await filled();
      writeFileSync(lockOf(directory), await lockWith({ pid }));
      await expectRefused(directory, 'store_locked', 'not whole');
      aged(lockOf(directory), 30_100);
      expect(await refusal(directory)).toBeUndefined();
    },
  );

  test.skipIf(process.getuid?.() === 0)('a lock that cannot be read keeps the directory closed', async () => {
    const directory = await filled();
    writeFileSync(lockOf(directory), '{}', { mode: 0 });
    await expectRefused(directory, 'store_locked', 'not readable');
  });
});

/** Frame with a right check sum around the given contents. */
function frame(meta: unknown, parts: Uint8Array = new Uint8Array(), lie?: number): Uint8Array {
  const text = encodeText(typeof meta === 'string' ? meta : JSON.stringify(meta));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, lie ?? text.length, true);
  const body = concatBytes([length, text, parts]);
  return concatBytes([encodeHeader({ state: 'live', length: body.length, crc: crc32(body) }), body]);
}

const row = { run_id: runId(1), records: 1, head: '0', at: 1, dialect: 'xct/0.1', sealed: false };
const BATCH = { seq: 0, run_id: row.run_id, run_seq: 0, size: 1, peaks: 1, row, records: [2], payloads: [] };
const batch = (changed: object) => ({ batch: { ...BATCH, ...changed } });
const bytes = (count: number) => new Uint8Array(count);

describe('a frame with a right check sum', () => {
  test.each<[string, Uint8Array]>([
    ['without JSON', frame('nope')],
    ['with null', frame('null')],
    ['nested beyond the stack', frame(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)],
    ['with a first part longer than it', frame({}, bytes(0), 0xffff_fff0)],
    ['with nothing at its beginning', frame('', bytes(9), 0)],
    ['with four milliards of peaks', frame(batch({ peaks: 4e9 }), bytes(64))],
    ['with peaks that are no number', frame(batch({ peaks: 'x' }), bytes(64))],
    ['with more peaks than its size has', frame(batch({ peaks: 2 }), bytes(66))],
    ['with a size that needs none of its peaks', frame(batch({ size: 1e9, peaks: 0, records: [] }))],
    ['with a record longer than it', frame(batch({ records: [1e15] }), bytes(64))],
    ['with a record shorter than nothing', frame(batch({ records: [-5] }), bytes(64))],
    ['with records that are no list', frame(batch({ records: 7 }), bytes(64))],
    ['with records that are gone and no list', frame(batch({ gone: 'x', records: [] }), bytes(32))],
    ['with records that are gone and no hashes', frame(batch({ gone: ['x'], records: [] }), bytes(32))],
    ['with a run that is none', frame(batch({ row: null, records: [] }), bytes(32))],
    ['with a place beyond all numbers', frame(batch({ seq: 2 ** 53, records: [] }), bytes(32))],
    ['with a table that is none', frame({ tables: [['nosuch', 'k', 1]] })],
    ['with tables that are no list', frame({ tables: 5 })],
    ['with a row that is none', frame({ tables: [null] })],
    ['with bytes that never come', frame({ tables: [], bytes: [4e9] })],
    ['with bytes that are no text', frame(batch({}), concatBytes([bytes(32), Uint8Array.of(0xff, 0xfe)]))],
  ])(
    'a frame with a right check sum %s is refused by a code',
    async (_title, first) => {
      const directory = newDirectory();
      writeFileSync(journalOf(directory), first);
      await expectRefused(directory, 'store_damaged', 'ledger');
      // The same frame is refused behind sound frames.
      const good = await filled();
      writeFileSync(journalOf(good), concatBytes([readFileSync(journalOf(good)), first]));
      await expectRefused(good, 'store_damaged', 'what no ledger writes');
    },
    20_000,
  );

  test('fsck reports a frame whose record is not a record of a ledger', async () => {
    const directory = newDirectory();
    writeFileSync(journalOf(directory), frame(batch({}), concatBytes([bytes(32), encodeText('{}')])));
    const [code, said] = await checked(directory);
    expect([code, said]).toEqual([expect.any(Number), expect.stringMatching(/not whole|malformed|record/)]);
    expect(code).not.toBe(0);
  });
});
