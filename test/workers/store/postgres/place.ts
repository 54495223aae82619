import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll } from 'vitest';
import type { PgPool } from '../../../../workers/postgres.ts';
import { openPostgresStore, type PgStoreOptions } from '../../../../workers/store/postgres/store.ts';
import type { SharedStore } from '../../../../workers/store/shared-store.ts';
import { LASTING } from '../../../../workers/testing/store/lease-suite.ts';
import { type Place, valueOf } from '../store-suite.ts';

/**
 * Folder of `pg`, address of a database, and its address for the owner without a proxy. `npm run test:long -- world` starts the
 * server and installs the driver.
 */
const { SALLYPORT_PG: driver, SALLYPORT_POSTGRES: address, SALLYPORT_POSTGRES_OWNER: owner } = process.env;

export const HAS_SERVER: boolean = address !== undefined && driver !== undefined && owner !== undefined;

/** True where a proxy between the program and the server gives each transaction another connection. */
export const IS_POOLED: boolean = address !== owner;

export const ABSENT = 'no server of PostgreSQL: npm run test:long -- world starts one and runs these tests';

/** A pool of `pg`, as a program makes it. */
export interface OwnPool extends PgPool {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: { readonly [column: string]: unknown }[] }>;
  end(): Promise<void>;
}

interface PgModule {
  readonly Pool: new (options: object) => OwnPool;
}

const pools: OwnPool[] = [];

/** A pool of connections to a database of the server. It ends after the tests of the file. */
export function newPool(options: object = {}): OwnPool {
  const { Pool } = createRequire(`${driver}/package.json`)('pg') as PgModule;
  const pool = new Pool({ connectionString: address, ...options });
  pools.push(pool);
  return pool;
}

/** A pool of the owner of the database, without a proxy. */
export function ownerPool(): OwnPool {
  return newPool({ connectionString: owner });
}

/** A new database, for tests that change the tables of all its logs. */
export async function newDatabase(): Promise<{ readonly pool: OwnPool; readonly owner: OwnPool }> {
  const name = `made_${randomUUID().replaceAll('-', '')}`;
  await ownerPool().query(`create database ${name}`);
  const of = (base: string | undefined, options: object = {}) =>
    newPool({ connectionString: base?.replace(/\/\w+\?/, `/${name}?`), ...options });
  return { pool: of(address), owner: of(owner, { application_name: 'owner' }) };
}

/** A pool of this role or with this setting, without a proxy. */
export function directPool({ role = 'postgres', setting = '' }: { role?: string; setting?: string }): OwnPool {
  const connectionString = owner?.replace('//postgres@', `//${role}@`);
  return newPool({ connectionString, ...(setting !== '' && { options: `-c ${setting}` }) });
}

if (HAS_SERVER) afterAll(() => Promise.all(pools.map((pool) => pool.end())));

export const newLog = (): string => `log ${randomUUID()}`;

export async function open(
  options: Partial<PgStoreOptions> & Pick<PgStoreOptions, 'pool' | 'log'>,
): Promise<SharedStore> {
  return valueOf(await openPostgresStore({ times: LASTING, ...options }));
}

/** Each place is a log of its own in the same database. */
export function makePlaces(options: object = {}): () => Promise<Place> {
  const pool = newPool(options);
  return async () => {
    const log = newLog();
    return { open: () => open({ pool, log }) };
  };
}
