import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@playwright/test';
import type * as node from '../../workers/node.ts';
import type * as postgres from '../../workers/postgres.ts';
import { debianServer, installDriver, PgServer, type Programs, serverFolder } from './postgres-server.ts';

export interface OwnPool extends postgres.PgPool {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: { readonly [column: string]: unknown }[] }>;
  end(): Promise<void>;
}
interface PgModule {
  readonly Pool: new (options: object) => OwnPool;
}

const NOT_YET: Programs = { reason: 'PostgreSQL is looked for before the tests' };

/** Debian's server with the driver, for the tests of a file. */
export class PostgresPlace {
  readonly #folders: string[] = [];
  readonly #servers: PgServer[] = [];
  #driver: Programs = NOT_YET;
  #debian: Programs = NOT_YET;
  #server: PgServer | undefined;

  /** A place that starts before the tests of the calling file, and is removed after them. */
  static forTests(): PostgresPlace {
    const place = new PostgresPlace();
    test.beforeAll(() => place.#start());
    test.afterAll(() => place.#remove());
    return place;
  }

  async #start(): Promise<void> {
    this.#debian = debianServer();
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-world-pg-'));
    this.#folders.push(folder);
    this.#driver = installDriver(folder);
    if (!('folder' in this.#debian)) return;
    this.#server = this.newServer(this.#debian.folder, this.newFolder());
    this.#server.make();
    await this.#server.start();
  }

  async #remove(): Promise<void> {
    for (const each of this.#servers) await each.stop();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  /** A folder that is removed after the tests. */
  newFolder(): string {
    const folder = serverFolder();
    this.#folders.push(folder);
    return folder;
  }

  /** A server that ends with the tests. */
  newServer(...place: ConstructorParameters<typeof PgServer>): PgServer {
    const made = new PgServer(...place);
    this.#servers.push(made);
    return made;
  }

  /** The server of the place. Skips the test where it cannot be had. */
  get server(): PgServer {
    there(this.#debian);
    return this.#server as PgServer;
  }

  /** Folder with the programs of Debian's server. Skips the test where it cannot be had. */
  get programs(): string {
    return there(this.#debian);
  }

  /** Folder in whose `node_modules` the driver is. Skips the test where it cannot be had. */
  get driver(): string {
    return there(this.#driver);
  }

  newPool(address: string, options: object = {}): OwnPool {
    const { Pool } = createRequire(`${this.driver}/package.json`)('pg') as PgModule;
    const pool = new Pool({ connectionString: address, ...options });
    pool.on('error', () => undefined);
    return pool;
  }

  /** Makes a database and returns its address. */
  async newDatabase(on: PgServer, name: string, more = ''): Promise<string> {
    const pool = this.newPool(on.address());
    await pool.query(`create database ${name} ${more}`);
    await pool.end();
    return on.address(name);
  }

  /** Environment of a process that opens a log. */
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, FORCE_COLOR: '0', SALLYPORT_PG: this.driver };
  }

  async fsck(address: string, log: string): Promise<node.LogReport> {
    const { openRuntime } = (await import('../../dist/node.js' as string)) as typeof node;
    const { openPostgres } = (await import('../../dist/postgres.js' as string)) as typeof postgres;
    const pool = this.newPool(address);
    const runtime = await openRuntime({ store: await openPostgres({ pool, log }) });
    const report = await runtime.ledger.fsck();
    await runtime.close();
    await pool.end();
    return report;
  }
}

/** The folder of these programs. Skips the test where they cannot be had. */
export function there(programs: Programs): string {
  test.skip('reason' in programs, 'reason' in programs ? programs.reason : '');
  return 'folder' in programs ? programs.folder : '';
}

/** Argument of a process for a log of a database. */
export function placeOf(log: string, address: string): string {
  return `log=${log} ${address}`;
}
