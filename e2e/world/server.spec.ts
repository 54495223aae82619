import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type * as node from '../../workers/node.ts';
import type * as postgres from '../../workers/postgres.ts';
import { installPackage } from '../install.ts';
import { debianServer, installDriver, PgServer, type Programs, serverFolder } from './postgres-server.ts';

interface OwnPool extends postgres.PgPool {
  query(sql: string): Promise<{ readonly rows: { readonly [column: string]: unknown }[] }>;
  end(): Promise<void>;
}

const folders: string[] = [];
let debian: Programs;
let driver: Programs;
let server: PgServer | undefined;
let consumer: string;
let agents: ReturnType<typeof spawn> | undefined;

test.beforeAll(async () => {
  debian = debianServer();
  driver = installDriver(newFolder(mkdtempSync(join(tmpdir(), 'sallyport-server-'))));
  if ('reason' in debian || 'reason' in driver) return;
  server = new PgServer(debian.folder, newFolder(serverFolder()));
  server.make();
  await server.start();
  consumer = newFolder(installPackage());
  for (const name of readdirSync(join(driver.folder, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(driver.folder, 'node_modules', name), join(consumer, 'node_modules', name));
  cpSync('web/examples/server', join(consumer, 'server'), { recursive: true });
});
test.afterAll(async () => {
  await end();
  await server?.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(folder: string): string {
  folders.push(folder);
  return folder;
}

function there(programs: Programs): string {
  test.skip('reason' in programs, 'reason' in programs ? programs.reason : '');
  return 'folder' in programs ? programs.folder : '';
}

async function end(): Promise<void> {
  if (agents === undefined || agents.exitCode !== null || agents.signalCode !== null) return;
  const exit = once(agents, 'exit');
  process.kill(-(agents.pid ?? 0), 'SIGKILL');
  await exit;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { readonly port: number };
  probe.close();
  return port;
}

const TOKEN = 'f'.repeat(32);

const PATIENCE_MS = 10_000;

/** Starts the example, and resolves with the way to ask it, which asks again where a process dies meanwhile. */
async function start(): Promise<(path: string, body?: object) => Promise<unknown>> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), TOKEN, DATABASE_URL: server?.address() };
  agents = spawn(process.execPath, ['server/main.js'], { cwd: consumer, env, stdio: 'inherit', detached: true });
  return async (path, body) => {
    let value: unknown;
    const init = { headers: { authorization: `Bearer ${TOKEN}` } };
    const request = body === undefined ? init : { ...init, method: 'POST', body: JSON.stringify(body) };
    await expect(async () => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...request, signal });
      expect(response.status).toBe(200);
      value = await response.json();
    }).toPass({ timeout: 60_000 });
    return value;
  };
}

/** Processes behind the server. */
function workers(): readonly number[] {
  const pid = agents?.pid ?? 0;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

/** Kills every process behind the server: whichever has the run dies, too. */
function killWorkers(): void {
  for (const pid of workers()) process.kill(pid, 'SIGKILL');
}

test('a run on a server survives its processes, waits for a person, and ships once', async () => {
  test.setTimeout(600_000);
  there(debian);
  there(driver);
  const ask = await start();
  expect(await ask('/runs')).toEqual([]);
  const { run_id } = (await ask('/runs', { task: 'Ship rye' })) as { readonly run_id: string };
  killWorkers();
  const question = () => ask(`/runs/${run_id}/question`) as Promise<{ readonly digest: string } | null>;
  await expect.poll(question, { timeout: 120_000 }).toMatchObject({ capability: 'order.ship', args: '{"item":"rye"}' });
  killWorkers();
  await expect(async () => {
    const asked = await question();
    if (asked !== null) await ask(`/runs/${run_id}/answer`, { digest: asked.digest, approved: true });
    expect(await ask('/runs')).toEqual([expect.objectContaining({ run_id, ended: 'completed' })]);
  }).toPass({ timeout: 240_000 });
  await end();

  const { Pool } = createRequire(`${there(driver)}/package.json`)('pg') as { Pool: new (options: object) => OwnPool };
  const pool = new Pool({ connectionString: server?.address() });
  const { rows } = await pool.query('select item from shipment');
  expect(rows).toEqual([{ item: 'rye' }]);
  const { openRuntime } = (await import('../../dist/node.js' as string)) as typeof node;
  const { openPostgres } = (await import('../../dist/postgres.js' as string)) as typeof postgres;
  const runtime = await openRuntime({ store: await openPostgres({ pool, log: 'orders' }) });
  expect(await runtime.ledger.fsck()).toMatchObject({ ok: true, problems: [] });
  await runtime.close();
  await pool.end();
});
