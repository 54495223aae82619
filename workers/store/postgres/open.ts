import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { flat, type PgConnection, TABLES_LOCK } from './connection.ts';
import { altered } from './refusal.ts';
import { migrationFrom, type TableForm } from './schema.ts';
import { type Query } from './session.ts';

/**
 * Number of the log with this name. Makes the tables and the log where they are absent and the role may make them, and
 * brings older tables to the newest form.
 * `store_newer`, `store_damaged`, `store_denied`, `store_readonly`, `store_lost`
 */
export async function openLog(
  connection: PgConnection,
  name: string,
  forms: readonly TableForm[],
): Promise<Outcome<number>> {
  const made = await makeTables(connection, forms);
  if (!made.ok) return made;
  const found = await connection.read((query) => findLog(query, name));
  if (!found.ok || found.value !== undefined) return found as Outcome<number>;
  return connection.write(TABLES_LOCK, 'strict', (query) => makeLog(query, name));
}

async function makeTables(connection: PgConnection, forms: readonly TableForm[]): Promise<Outcome<number>> {
  const looked = flat(await connection.read((query) => lookAtTables(query, forms)));
  const isOlder = looked.ok ? looked.value < forms.length : looked.refusal.code === 'store_damaged';
  if (!isOlder) return looked;
  const done = await connection.write(TABLES_LOCK, 'strict', async (query) => {
    // another process may have been faster, and its half of the tables may have been seen
    const version = await lookAtTables(query, forms);
    if (version.ok) for (const sql of migrationFrom(version.value, forms)) await query(sql);
    return version;
  });
  return flat(done);
}

/**
 * Names of the tables of a schema. `to_regclass` would answer from the memory of the session, which waiting for an
 * advisory lock does not renew.
 */
const TABLES = `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1`;

/** Version of the tables; 0 without tables. `store_newer`, and `store_damaged` where a table of this version is missing. */
async function lookAtTables(query: Query, forms: readonly TableForm[]): Promise<Outcome<number>> {
  const found = new Set((await query(TABLES, 'sallyport')).map(({ relname }) => relname));
  if (forms.every(({ tables }) => tables.every((name) => !found.has(name)))) return pass(0);
  if (!found.has('version')) return altered('has no table sallyport.version');
  const [row] = await query('select max(version) as version from sallyport.version');
  const version = Number(row?.['version'] ?? Number.NaN);
  if (version > forms.length) return refuse('store_newer', {});
  const form = forms[version - 1];
  if (form === undefined) return altered('has no version');
  const missing = form.tables.find((name) => !found.has(name));
  return missing === undefined ? pass(version) : altered(`has no table sallyport.${missing}`);
}

async function findLog(query: Query, name: string): Promise<number | undefined> {
  const [row] = await query('select id from sallyport.log where name = $1', name);
  return row && Number(row['id']);
}

async function makeLog(query: Query, name: string): Promise<number> {
  await query('insert into sallyport.log (name) values ($1) on conflict (name) do nothing', name);
  return (await findLog(query, name)) as number;
}
