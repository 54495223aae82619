/**
 * `sallyport/postgres`: a ledger in PostgreSQL, which processes on many machines use at once. The program hands in a
 * pool of `pg`; this entry imports no driver.
 *
 * @experimental
 */

import { type OptionType, optionsOf, TEXT } from '../core/option.ts';
import { unwrap } from '../core/sallyport-error.ts';
import type { PgPool } from './store/postgres/driver.ts';
import { grantsFor, migrationFrom, type PostgresRoles } from './store/postgres/schema.ts';
import { openPostgresStore } from './store/postgres/store.ts';
import type { RuntimeStore } from './store/runtime-store.ts';

export type { PgClient, PgNotification, PgPool, PgQuery, PgResult } from './store/postgres/driver.ts';
export type { PostgresRoles } from './store/postgres/schema.ts';
export type { RuntimeStore } from './store/runtime-store.ts';
export type { SqlRow } from './store/sql/frames.ts';

/** A Client of pg is no Pool: it has one connection, and connects once. */
const POOL: OptionType = [
  'a Pool of pg (not a Client)',
  (value) => {
    const pool = Object(value) as { readonly connect?: unknown; readonly connectionParameters?: unknown };
    return typeof pool.connect === 'function' && pool.connectionParameters === undefined;
  },
];
const NAME: OptionType = [
  'text of 1 to 200 characters',
  (value) => TEXT[1](value) && /^[^\0]{1,200}$/su.test(String(value)),
];

export interface PostgresOptions {
  /** A `Pool` of `pg`, with the address, the credentials and TLS as the driver has them. The program ends it. */
  readonly pool: PgPool;
  /** Name of the log, for example of a tenant. Logs are independent of each other. Default `default`. */
  readonly log?: string;
  /**
   * File of this machine in which the process keeps the size and the root of the log. A database that was restored to
   * an older state, or replaced by a server without the newest records, is then refused also after a restart.
   */
  readonly witness?: string;
}

/**
 * Opens a log in PostgreSQL, for the `store` of `openRuntime`, which closes it. Makes the tables and the log where they
 * are absent and the role may make them. Rejects with `SallyportError`: `store_denied` where the role lacks a right,
 * `store_readonly` where the server takes no writes, `store_newer`, `store_damaged`, `store_full`, `store_lost`,
 * `log_lost` where the log is shorter than its witness.
 *
 * `openRuntime({ store: await openPostgres({ pool }) })`
 *
 * @experimental
 */
export async function openPostgres(options: PostgresOptions): Promise<RuntimeStore> {
  const types = { pool: POOL, log: NAME, witness: TEXT };
  const { pool, log = 'default', witness } = optionsOf(options, types, ['pool']);
  return unwrap(await openPostgresStore({ pool, log, witness }));
}

/**
 * The SQL that an owner of the database runs before programs with fewer rights open a ledger in it: the tables, if
 * `from` is 0 or absent, or the way from version `from` to the newest; and the rights of each role that is named.
 *
 * @experimental
 */
export function postgresSql(roles: PostgresRoles = {}, from: number = 0): string {
  const statements = ['begin', ...migrationFrom(from), ...grantsFor(roles), 'commit'];
  return `${statements.join(';\n')};\n`;
}
