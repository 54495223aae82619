import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import type * as headless from '../../workers/node.ts';
import type * as postgres from '../../workers/postgres.ts';
import { installGo } from './install-go.ts';
import { debianServer, installDriver, PgServer, serverFolder } from './postgres-server.ts';

const ORIGIN = 'example.org/device-1';
/** Runs of 31 steps before each checkpoint; the sizes are below, at and above a tile. */
const RUNS = [1, 1, 3, 10];

let folder: string;
let reason: string | undefined;
let checker: string;
let key: string;
const at = (name: string) => join(folder, name);

test.beforeAll(async () => {
  test.setTimeout(600_000);
  folder = mkdtempSync(join(tmpdir(), 'sallyport-world-checkpoint-'));
  const go = installGo(at('go'));
  if ('reason' in go) {
    reason = go.reason;
    return;
  }
  checker = at('checker');
  const { status, stderr } = go.run(['build', '-o', checker, resolve('e2e/world/tlog/main.go')]);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  for (const [nth, runs] of RUNS.entries()) {
    await writeRuns(runs);
    key = publish().key;
    cpSync(at('public/checkpoint'), at(`checkpoint-${nth}`));
  }
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));
test.beforeEach(() => test.skip(reason !== undefined, reason ?? ''));

async function writeRuns(count: number): Promise<void> {
  const { fromScript, openRuntime } = (await import(pathToFileURL(resolve('dist/node.js')).href)) as typeof headless;
  const runtime = await openRuntime({ store: { directory: at('ledger') } });
  for (let nth = 0; nth < count; nth++) {
    const model = fromScript([...Array.from({ length: 30 }, () => '{'), { done: true, message: 'x' }]);
    await runtime.start({ dialect: 'xct', task: `${nth}`, model, limits: { refusalsInRow: 40 } }).result;
  }
  await runtime.close();
}

function publish(): { readonly key: string; readonly size: number } {
  const words = ['publish', at('ledger'), at('public'), '--sign', at('log.key'), '--origin', ORIGIN, '--json'];
  const { stdout } = spawnSync(process.execPath, ['dist/cli.js', 'checkpoint', ...words], { encoding: 'utf8' });
  return JSON.parse(stdout) as { readonly key: string; readonly size: number };
}

function check(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(checker, words, { encoding: 'utf8' });
  return { status, stderr, ...(JSON.parse(stdout || '{}') as object) };
}

test("Go's sumdb reads the signed checkpoint, proves every record of the log, and every earlier checkpoint", () => {
  const older = RUNS.map((_, nth) => at(`checkpoint-${nth}`));
  const { size } = publish();
  expect(size).toBeGreaterThan(1536);
  expect(check(at('public'), key, ...older)).toEqual({
    status: 0,
    stderr: '',
    size,
    included: size,
    consistent: older.length,
  });
});

test("Go's sumdb refuses a flipped bit in a tile, in the entries and in the signature", () => {
  for (const path of ['tile/0/000', 'tile/entries/000', 'checkpoint', `tile/1/000.p/${publish().size >> 8}`]) {
    cpSync(at('public'), at('altered'), { recursive: true });
    expect(existsSync(join(at('altered'), path))).toBe(true);
    const bytes = readFileSync(join(at('altered'), path));
    const place = bytes.length - 12;
    bytes[place] = (bytes[place] as number) ^ 1;
    writeFileSync(join(at('altered'), path), bytes);
    expect(check(at('altered'), key).status, path).toBe(1);
    rmSync(at('altered'), { recursive: true });
  }
});

test('a key and its signatures are those of Go', () => {
  const { status, stderr } = check(at('public'), `${key.slice(0, -2)}A=`);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/malformed|invalid|no verifiable/)]);
  expect(check(at('public'), key).status).toBe(0);
});

interface PgModule {
  readonly Pool: new (options: object) => postgres.PgPool & { end(): Promise<void> };
}

/** Publishes the log after each number of further runs, from a database that two processes' pools write. */
async function publishFromPostgres(address: string, driver: string, runs: readonly number[]): Promise<string> {
  const { fromScript, makeLogKey, openRuntime, publishLog } = (await import(
    pathToFileURL(resolve('dist/node.js')).href
  )) as typeof headless;
  const { openPostgres } = (await import(pathToFileURL(resolve('dist/postgres.js')).href)) as typeof postgres;
  const { Pool } = createRequire(join(driver, 'package.json'))('pg') as PgModule;
  const pools = [new Pool({ connectionString: address }), new Pool({ connectionString: address })];
  const opened = await Promise.all(pools.map((pool) => openPostgres({ pool })));
  const runtimes = await Promise.all(opened.map((store) => openRuntime({ store })));
  const secret = makeLogKey(ORIGIN);
  const place = {
    key: secret,
    read: async (path: string) => (existsSync(at(`pg/${path}`)) ? readFileSync(at(`pg/${path}`)) : undefined),
    write: ({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }) => {
      mkdirSync(dirname(at(`pg/${path}`)), { recursive: true });
      writeFileSync(at(`pg/${path}`), bytes);
    },
  };
  let published = '';
  for (const [nth, count] of runs.entries()) {
    const one = async (_: unknown, of: number) => {
      const model = fromScript([...Array.from({ length: 30 }, () => '{'), { done: true, message: 'x' }]);
      const runtime = runtimes[of % runtimes.length];
      await runtime?.start({ dialect: 'xct', task: `${of}`, model, limits: { refusalsInRow: 40 } }).result;
    };
    await Promise.all(Array.from({ length: count }, one));
    const store = await openPostgres({ pool: pools[nth % 2] as postgres.PgPool });
    const done = await publishLog(store, place);
    if (!done.ok) throw new Error(done.refusal.message);
    published = done.value.key;
    cpSync(at('pg/checkpoint'), at(`pg-checkpoint-${nth}`));
  }
  await Promise.all(runtimes.map((runtime) => runtime.close()));
  await Promise.all(pools.map((pool) => pool.end()));
  return published;
}

test("Go's sumdb reads the log that several writers have in PostgreSQL, and proves its earlier checkpoints", async () => {
  const [debian, driver] = [debianServer(), installDriver(at('driver'))];
  for (const each of [debian, driver]) test.skip('reason' in each, 'reason' in each ? each.reason : '');
  if (!('folder' in debian && 'folder' in driver)) return;
  const home = serverFolder();
  const server = new PgServer(debian.folder, home);
  try {
    server.make();
    await server.start();
    const published = await publishFromPostgres(server.address(), driver.folder, RUNS);
    const older = RUNS.map((_, nth) => at(`pg-checkpoint-${nth}`));
    const found = check(at('pg'), published, ...older) as { readonly size?: number };
    expect(found).toMatchObject({ status: 0, stderr: '', included: found.size, consistent: older.length });
    expect(found.size).toBeGreaterThan(1536);
    const tile = at('pg/tile/0/001');
    const bytes = readFileSync(tile);
    bytes[100] = (bytes[100] as number) ^ 1;
    writeFileSync(tile, bytes);
    expect(check(at('pg'), published).status).toBe(1);
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
});
