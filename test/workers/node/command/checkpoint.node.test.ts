import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../../../core/index.ts';
import { checkpoint } from '../../../../workers/node/command/checkpoint.ts';
import { runCommand, type Terminal, UsageError } from '../../../../workers/node/command/command.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';
import { fromScript } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const ORIGIN = 'example.org/device-1';
let home: string;
/** A ledger, the same ledger some runs later, and a ledger that differs from it in its last runs. */
let ledgers: { readonly first: string; readonly later: string; readonly other: string };
let folder: string;

async function write(directory: string, runs: number): Promise<void> {
  const runtime = await openRuntime({ store: { directory } });
  for (let nth = 0; nth < runs; nth++) {
    const model = fromScript([...Array.from({ length: 30 }, () => '{'), { done: true, message: 'x' }]);
    await runtime.start({ dialect: 'xct', task: `${nth}`, model, limits: { refusalsInRow: 40 } }).result;
  }
  await runtime.close();
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-checkpoint-'));
  const [first, later, other] = ['first', 'later', 'other'].map((name) => join(home, name)) as [string, string, string];
  await write(first, 3);
  for (const each of [later, other]) {
    cpSync(first, each, { recursive: true });
    await write(each, 3);
  }
  ledgers = { first, later, other };
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(home, 'test-'));
});

const at = (name: string) => join(folder, name);

async function run(...words: readonly string[]) {
  const lines = { out: [] as string[], err: [] as string[] };
  let json: { readonly [name: string]: unknown } = {};
  const terminal: Terminal = {
    ...processTerminal(),
    color: false,
    print: (text) => void lines.out.push(text),
    printJson: (value) => void (json = value as typeof json),
    complain: (text) => void lines.err.push(text),
  };
  const code = await runCommand(checkpoint, words, terminal);
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n'), json };
}
const publish = (ledger: string, ...more: readonly string[]) =>
  run('publish', ledger, at('public'), '--sign', at('log.key'), '--origin', ORIGIN, '--json', ...more);
const keyIn = ({ json }: { readonly json: { readonly [name: string]: unknown } }) => String(json['key']);
const filesIn = (path: string) =>
  (readdirSync(path, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => statSync(join(path, name)).isFile())
    .sort();

describe('publish', () => {
  test('publish writes the checkpoint, the entries and the tiles, and makes a key that its owner alone reads', async () => {
    const done = await publish(ledgers.later);
    expect(done.code).toBe(0);
    const size = Number(done.json['size']);
    expect(size).toBeGreaterThan(512);
    expect(filesIn(at('public'))).toEqual(
      [
        'checkpoint',
        ...['entries', '0'].flatMap((level) => [
          ...Array.from({ length: Math.floor(size / 256) }, (_, nth) => `tile/${level}/00${nth}`),
          `tile/${level}/00${Math.floor(size / 256)}.p/${size % 256}`,
        ]),
        `tile/1/000.p/${Math.floor(size / 256)}`,
      ].sort(),
    );
    expect(statSync(at('log.key')).mode & 0o777).toBe(0o600);
    const text = readFileSync(at('public/checkpoint'), 'utf8');
    expect(parseCheckpoint(text)).toMatchObject({
      ok: true,
      value: { checkpoint: { origin: ORIGIN, size, runs: [] } },
    });
    expect(text).toContain(`\n— ${ORIGIN} `);
    expect(await run('check', at('public'), '--key', keyIn(done))).toMatchObject({ code: 0, err: '' });
  });

  test('publish again writes what is new, removes narrow tiles of tiles that are full, and keeps the key', async () => {
    const before = await publish(ledgers.first);
    const full = readFileSync(at('public/tile/0/000'));
    const after = await publish(ledgers.later);
    expect(keyIn(after)).toBe(keyIn(before));
    expect(Number(after.json['size'])).toBeGreaterThan(Number(before.json['size']));
    expect(readFileSync(at('public/tile/0/000'))).toEqual(full);
    const narrow = `public/tile/0/001.p/${Number(before.json['size']) % 256}`;
    expect(existsSync(at(narrow))).toBe(false);
    expect(await run('check', at('public'), '--key', keyIn(after))).toMatchObject({ code: 0 });
    expect((await publish(ledgers.later)).json).toMatchObject({ files: 0 });
  });

  test.each([
    ['log_rolled_back', 'later', 'first'],
    ['log_forked', 'later', 'other'],
  ] as const)('%s: a log that has not grown out of the published log is not signed', async (code, before, after) => {
    await publish(ledgers[before]);
    const files = filesIn(at('public')).map((name) => readFileSync(at(`public/${name}`)));
    expect(await publish(ledgers[after])).toMatchObject({ code: 1, json: { ok: false, code } });
    expect(filesIn(at('public')).map((name) => readFileSync(at(`public/${name}`)))).toEqual(files);
  });

  test.each(['tile', 'tile/0'])('a link at %s inside the folder is not followed', async (link) => {
    const victim = at('victim');
    mkdirSync(victim);
    mkdirSync(dirname(at(`public/${link}`)), { recursive: true });
    symlinkSync(victim, at(`public/${link}`));
    await expect(publish(ledgers.first)).rejects.toBeInstanceOf(UsageError);
    expect(readdirSync(victim)).toEqual([]);
    expect(existsSync(at('public/checkpoint'))).toBe(false);
  });

  test('a folder whose checkpoint has another key is refused', async () => {
    await publish(ledgers.first);
    rmSync(at('log.key'));
    expect(await publish(ledgers.first)).toMatchObject({ code: 1, json: { code: 'checkpoint_unsigned' } });
  });

  test('a publishing that was cut off before its checkpoint is finished by the next', async () => {
    const before = await publish(ledgers.first);
    const checkpointText = readFileSync(at('public/checkpoint'));
    await publish(ledgers.later);
    writeFileSync(at('public/checkpoint'), checkpointText);
    writeFileSync(at('public/tile/0/001'), 'half');
    await publish(ledgers.later);
    expect(await run('check', at('public'), '--key', keyIn(before))).toMatchObject({ code: 0 });
  });

  test.each([
    ['no first word', []],
    ['another first word', ['sign', 'a', 'b']],
    ['no folder', ['publish', 'a']],
    ['no key', ['publish', 'a', 'b']],
    ['an address to publish at', ['publish', 'a', 'https://example.com/', '--sign', 'x']],
    ['the key of a check', ['publish', 'a', 'b', '--key', 'x']],
    ['a log and no checkpoint', ['compare', 'a']],
    ['two logs', ['check', 'a', 'b']],
    ['a key that is none', ['check', 'a', '--key', 'x']],
    ['a private key for a check', ['check', 'a', '--sign', 'x']],
    ['a log that is not there', ['check', '/nowhere']],
  ])('%s is a usage error', async (_, words) => {
    await expect(run(...words)).rejects.toBeInstanceOf(UsageError);
  });

  test('a key file of another log, or with other text, is a usage error', async () => {
    await publish(ledgers.first);
    await expect(publish(ledgers.first, '--origin', 'example.org/other')).rejects.toThrow('is the key of');
    writeFileSync(at('log.key'), `${readFileSync(at('log.key'), 'utf8').trim()}A\n`);
    await expect(publish(ledgers.first)).rejects.toThrow('no private key');
    rmSync(at('log.key'));
    const words = ['publish', ledgers.first, at('public'), '--sign', at('log.key')];
    await expect(run(...words)).rejects.toThrow('no key yet');
    await expect(run(...words, '--origin', 'two words')).rejects.toThrow('without blanks');
  });
});

describe('check', () => {
  test.each([274_877_906_944, 2 ** 40, Number.MAX_SAFE_INTEGER, 5_000_000])(
    'a size of %d is refused before a file is read',
    async (size) => {
      await publish(ledgers.first);
      const [origin, , ...rest] = readFileSync(at('public/checkpoint'), 'utf8').split('\n');
      writeFileSync(at('public/checkpoint'), [origin, size, ...rest].join('\n'));
      expect(await run('check', at('public'), '--json')).toMatchObject({ code: 2, json: { code: 'tiles_malformed' } });
    },
  );

  test('a bit that was flipped in any file is found', async () => {
    const key = keyIn(await publish(ledgers.first));
    for (const name of filesIn(at('public'))) {
      const bytes = readFileSync(at(`public/${name}`));
      const altered = Buffer.from(bytes);
      const middle = bytes.length >> 1;
      altered[middle] = (altered[middle] as number) ^ 1;
      writeFileSync(at(`public/${name}`), altered);
      expect((await run('check', at('public'), '--key', key)).code, name).toBeGreaterThan(0);
      writeFileSync(at(`public/${name}`), bytes);
    }
    expect((await run('check', at('public'), '--key', key)).code).toBe(0);
  });

  test('a log whose publishing was cut off before its checkpoint is checked up to the checkpoint that it has', async () => {
    const before = await publish(ledgers.first);
    const checkpointText = readFileSync(at('public/checkpoint'));
    await publish(ledgers.later);
    writeFileSync(at('public/checkpoint'), checkpointText);
    const check = () => run('check', at('public'), '--key', keyIn(before), '--json');
    expect(await check()).toMatchObject({ code: 0, json: { size: before.json['size'] } });
    for (const name of ['tile/entries/001', 'tile/0/001']) {
      const bytes = readFileSync(at(`public/${name}`));
      writeFileSync(at(`public/${name}`), bytes.with(5, (bytes[5] as number) ^ 1));
      expect((await check()).code, name).toBeGreaterThan(0);
      writeFileSync(at(`public/${name}`), bytes);
    }
  });

  test('a log that a web server gives out is checked by its address', async () => {
    const key = keyIn(await publish(ledgers.first));
    const server = createServer(({ url = '' }, response) => {
      const path = at(`public${url.replace('/logs', '')}`);
      if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end('nothing here');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logs/`;
    expect(await run('check', address, '--key', key)).toMatchObject({ code: 0 });
    expect(await run('compare', address, at('public/checkpoint'), '--key', key)).toMatchObject({ code: 0 });
    rmSync(at('public/tile/0/000'));
    const { code, err } = await run('check', address, '--key', key);
    expect([code, err]).toEqual([2, expect.stringContaining('tile/0/000')]);
    server.closeAllConnections();
    server.close();
    await expect(run('check', address)).rejects.toThrow('cannot be reached');
  });
});

describe('compare', () => {
  async function history() {
    const first = await publish(ledgers.first);
    writeFileSync(at('1.txt'), String(first.json['text']));
    const later = await publish(ledgers.later);
    writeFileSync(at('2.txt'), String(later.json['text']));
    return keyIn(first);
  }

  test('checkpoints of a log that has grown agree with the published log, and with the ledger itself', async () => {
    const key = await history();
    for (const log of [at('public'), ledgers.later]) {
      const done = await run('compare', log, at('1.txt'), at('2.txt'), '--key', key, '--json');
      expect(done).toMatchObject({ code: 0, json: { ok: true, origin: ORIGIN } });
    }
  });

  test('a folder of checkpoints is read in the order of its names', async () => {
    await history();
    const kept = mkdtempSync(join(folder, 'kept-'));
    for (const name of ['1.txt', '2.txt']) cpSync(at(name), join(kept, name));
    expect(await run('compare', ledgers.later, kept)).toMatchObject({ code: 0 });
    cpSync(at('1.txt'), join(kept, '3.txt'));
    expect(await run('compare', ledgers.later, kept, '--json')).toMatchObject({
      code: 1,
      json: { code: 'log_rolled_back' },
    });
  });

  test('an organisation that keeps checkpoints finds a ledger that was put back, or written anew', async () => {
    await history();
    const compare = (log: string) => run('compare', log, at('1.txt'), at('2.txt'), '--json');
    expect(await compare(ledgers.first)).toMatchObject({ code: 1, json: { code: 'log_rolled_back' } });
    expect(await compare(ledgers.other)).toMatchObject({ code: 1, json: { code: 'log_forked' } });
  });

  test('a checkpoint of another key is refused before anything is compared', async () => {
    await history();
    const other = keyIn(
      await run('publish', ledgers.first, at('p2'), '--sign', at('k2'), '--origin', ORIGIN, '--json'),
    );
    const done = await run('compare', ledgers.other, at('1.txt'), at('2.txt'), '--key', other, '--json');
    expect(done).toMatchObject({ code: 1, json: { code: 'checkpoint_unsigned' } });
  });

  test('a file that is no checkpoint is malformed', async () => {
    await history();
    writeFileSync(at('3.txt'), 'hello');
    expect(await run('compare', ledgers.later, at('3.txt'), '--json')).toMatchObject({
      code: 2,
      json: { code: 'checkpoint_malformed' },
    });
  });
});
