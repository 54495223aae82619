import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type PgConnection, type Query, TABLES_LOCK } from './connection.ts';
import { altered } from './refusal.ts';
import { migrationFrom, TABLES, VERSION } from './schema.ts';

/**
 * Number of the log with this name. Makes the tables and the log where they are absent and the role may make them.
 * `store_newer`, `store_damaged`, `store_denied`, `store_readonly`, `store_lost`
 */
export async function openLog(connection: PgConnection, name: string): Promise<Outcome<number>> {
  const made = await makeTables(connection);
  if (!made.ok) return made;
  const found = await connection.once((query) => findLog(query, name));
  if (!found.ok || found.value !== undefined) return found as Outcome<number>;
  return connection.write(TABLES_LOCK, 'strict', (query) => makeLog(query, name));
}

async function makeTables(connection: PgConnection): Promise<Outcome<void>> {
  const looked = await connection.once(lookAtTables);
  if (!looked.ok || !looked.value.ok || looked.value.value === VERSION) return flat(looked);
  const done = await connection.write(TABLES_LOCK, 'strict', async (query) => {
    // another process may have been faster
    const version = await lookAtTables(query);
    if (version.ok) for (const sql of migrationFrom(version.value)) await query(sql);
    return version;
  });
  return flat(done);
}

/** Version of the tables; 0 without tables. `store_newer`, and `store_damaged` for a missing table. */
async function lookAtTables(query: Query): Promise<Outcome<number>> {
  const names = TABLES.map((name) => `to_regclass('sallyport.${name}') is null as ${name}`);
  const [absent = {}] = await query(`select ${names.join(', ')}`);
  const missing = TABLES.filter((name) => absent[name] === true);
  if (missing.length === TABLES.length) return pass(0);
  if (missing.length > 0) return altered(`has no table sallyport.${missing[0]}`);
  const [row] = await query('select max(version) as version from sallyport.version');
  const version = Number(row?.['version'] ?? Number.NaN);
  if (version > VERSION) return refuse('store_newer', {});
  return version >= 1 ? pass(version) : altered('has no version');
}

async function findLog(query: Query, name: string): Promise<number | undefined> {
  const [row] = await query('select id from sallyport.log where name = $1', name);
  return row && Number(row['id']);
}

async function makeLog(query: Query, name: string): Promise<number> {
  await query('insert into sallyport.log (name) values ($1) on conflict (name) do nothing', name);
  return (await findLog(query, name)) as number;
}

function flat(outcome: Outcome<Outcome<unknown>>): Outcome<void> {
  if (!outcome.ok) return outcome;
  return outcome.value.ok ? pass(undefined) : outcome.value;
}
