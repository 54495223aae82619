import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { LedgerRecord } from '../../core/index.ts';
import type * as node from '../../workers/node.ts';
import type * as postgres from '../../workers/postgres.ts';
import { installPackage } from '../install.ts';
import { debianServer, installDriver, PgServer, serverFolder } from './postgres-server.ts';

interface Rows {
  readonly rows: { readonly [column: string]: unknown }[];
}

/** A connection for the test itself. */
interface OwnClient {
  query(sql: string): Promise<Rows>;
  release(): void;
}

export interface OwnPool extends postgres.PgPool {
  connect(): ReturnType<postgres.PgPool['connect']> & Promise<OwnClient>;
  query(sql: string): Promise<Rows>;
  end(): Promise<void>;
}

/** The people of the server. */
export type Person = 'ada' | 'bob';
const TOKENS: { readonly [P in Person]: string } = { ada: 'f'.repeat(32), bob: 'e'.repeat(32) };
const PATIENCE_MS = 10_000;

/** The example `web/examples/server` as a program of its own, with PostgreSQL. Each start has a database of its own. */
export class ExampleServer {
  readonly #server: PgServer;
  readonly #driver: string;
  readonly #consumer: string;
  readonly #folders: readonly string[];
  #agents: ReturnType<typeof spawn> | undefined;
  #port = 0;
  #database = 0;

  private constructor(server: PgServer, driver: string, consumer: string, folders: readonly string[]) {
    this.#server = server;
    this.#driver = driver;
    this.#consumer = consumer;
    this.#folders = folders;
  }

  /** Installs the package and the example. Returns the reason where PostgreSQL or its driver cannot be had. */
  static async install(): Promise<ExampleServer | { readonly reason: string }> {
    const debian = debianServer();
    if ('reason' in debian) return debian;
    const home = mkdtempSync(join(tmpdir(), 'sallyport-server-'));
    const driver = installDriver(home);
    if ('reason' in driver) return driver;
    const [data, consumer] = [serverFolder(), installPackage()];
    const server = new PgServer(debian.folder, data);
    server.make();
    await server.start();
    const modules = join(driver.folder, 'node_modules');
    for (const name of readdirSync(modules).filter((each) => !each.startsWith('.')))
      symlinkSync(join(modules, name), join(consumer, 'node_modules', name));
    cpSync('web/examples/server', join(consumer, 'server'), { recursive: true });
    return new ExampleServer(server, driver.folder, consumer, [home, data, consumer]);
  }

  /** Starts the processes of the example over an empty database. `signers`: the passkeys of people. */
  async start(signers?: (origin: string) => object): Promise<void> {
    await this.end();
    const pool = this.newPool('postgres');
    await pool.query(`create database run_${++this.#database}`);
    await pool.end();
    this.#port = await freePort();
    const PEOPLE = Object.entries(TOKENS)
      .map(([name, token]) => `${name}=${token}`)
      .join(' ');
    const SIGNERS = join(this.#consumer, 'signers.json');
    if (signers !== undefined) writeFileSync(SIGNERS, JSON.stringify(signers(this.origin)));
    const asked = { PORT: String(this.#port), PEOPLE, DATABASE_URL: this.#address(), ...(signers && { SIGNERS }) };
    const env = { ...process.env, ...asked };
    this.#agents = spawn(process.execPath, ['server/main.js'], {
      ...{ cwd: this.#consumer, env, stdio: 'inherit', detached: true },
    });
  }

  /** Address of the page, with the token. */
  get page(): string {
    return `${this.origin}/?token=${TOKENS.ada}`;
  }

  get origin(): string {
    return `http://localhost:${this.#port}`;
  }

  /** Asks a route once. Rejects where the process dies meanwhile. */
  fetch(path: string, body?: object, person: Person = 'ada'): Promise<Response> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const init = { headers: { authorization: `Bearer ${TOKENS[person]}` }, signal };
    const request = body === undefined ? init : { ...init, method: 'POST', body: JSON.stringify(body) };
    return fetch(`${this.origin}${path}`, request);
  }

  /** Asks a route, and asks again where a process dies meanwhile. */
  async ask(path: string, body?: object, person?: Person): Promise<unknown> {
    let value: unknown;
    await expect(async () => {
      const response = await this.fetch(path, body, person);
      expect(response.status).toBe(200);
      value = await response.json();
    }).toPass({ timeout: 60_000 });
    return value;
  }

  /** Processes behind the server, also one that died and has no successor. */
  workers(): readonly number[] {
    const pid = this.#agents?.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  }

  /** Kills every process behind the server: whichever has a run dies, too. Other processes take their places. */
  killWorkers(): void {
    for (const pid of this.workers()) process.kill(pid, 'SIGKILL');
  }

  /**
   * Kills one process behind the server. The first process is paused meanwhile, so that no process takes its place until
   * `replace` is called.
   */
  killWorker(worker: number): void {
    process.kill(this.#agents?.pid ?? 0, 'SIGSTOP');
    process.kill(worker, 'SIGKILL');
  }

  /** Asks one process behind the server to end, as a deployment does. */
  askToEnd(worker: number): void {
    process.kill(worker, 'SIGTERM');
  }

  /** The first process goes on, and starts a process for each that died. */
  replace(): void {
    process.kill(this.#agents?.pid ?? 0, 'SIGCONT');
  }

  /** Ends the database at once, as a crash does. */
  async crashDatabase(): Promise<void> {
    await this.#server.kill();
  }

  async startDatabase(): Promise<void> {
    await this.#server.start();
  }

  newPool(database?: string): OwnPool {
    const { Pool } = createRequire(`${this.#driver}/package.json`)('pg') as { Pool: new (options: object) => OwnPool };
    const pool = new Pool({ connectionString: this.#address(database) });
    pool.on?.('error', () => undefined);
    return pool;
  }

  /** The records of a run, and the check of the whole log. */
  async ledger(run_id: string): Promise<{ records: readonly LedgerRecord[]; report: node.LogReport }> {
    const { openRuntime } = (await import('../../dist/node.js' as string)) as typeof node;
    const { openPostgres } = (await import('../../dist/postgres.js' as string)) as typeof postgres;
    const pool = this.newPool();
    const runtime = await openRuntime({ store: await openPostgres({ pool, log: 'orders_ada' }) });
    const [records, report] = [await runtime.ledger.records(run_id), await runtime.ledger.fsck()];
    await runtime.close();
    await pool.end();
    return { records, report };
  }

  /** Ends the processes of the example at once. */
  async end(): Promise<void> {
    const ended = this.#agents;
    this.#agents = undefined;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    const exit = once(ended, 'exit');
    process.kill(-(ended.pid ?? 0), 'SIGKILL');
    await exit;
  }

  async remove(): Promise<void> {
    await this.end();
    await this.#server.stop();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  #address(database = `run_${this.#database}`): string {
    return this.#server.address(database);
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { readonly port: number };
  probe.close();
  return port;
}
