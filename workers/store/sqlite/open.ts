import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { isCode, syncFolder } from '../directory/file.ts';
import { SqlConnection } from './connection.ts';
import { type SqlDatabase, sqlModule } from './engine.ts';
import { altered, refusalOf } from './refusal.ts';
import { APPLICATION, SCHEMA, VERSION } from './schema.ts';

/** A foreign file must not call functions by its schema, and is checked more closely while it is read. */
const CAREFUL = 'pragma busy_timeout = 1000; pragma trusted_schema = off; pragma cell_size_check = on';

/**
 * Opens the file, and makes it and its folder if absent; only their owner may read them. A file that is no ledger is
 * refused before any byte of it is written. `store_damaged`, `store_newer`, `store_locked`.
 */
export function openForWriting(path: string): Outcome<SqlConnection> {
  const file = resolve(path);
  const { DatabaseSync } = sqlModule();
  if (!isThere(file)) makeFile(file);
  const looked = openForReading(file);
  if (!looked.ok) return looked;
  looked.value.end();
  return opening(new DatabaseSync(file), 'pragma secure_delete = on; pragma journal_mode = wal');
}

/** Opens the file for reading only. SQLite may make its files `-wal` and `-shm` beside it. */
export function openForReading(path: string): Outcome<SqlConnection> {
  const file = resolve(path);
  const { DatabaseSync } = sqlModule();
  if (!lstatSync(file).isFile()) return altered('is a link, a folder or a device, and no file of its own');
  return opening(new DatabaseSync(file, { readOnly: true }), '');
}

/** Removes the file. The connection to it is closed. */
export function removeFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${resolve(path)}${suffix}`, { force: true });
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/**
 * Makes the whole file under another name and links it to its own: a process that is stopped midway leaves no part of a
 * ledger, and of two processes the first makes the file.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const aside = `${path}.${randomUUID()}`;
  closeSync(openSync(aside, 'wx', 0o600));
  try {
    fillFile(aside);
    linkSync(aside, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    removeFile(aside);
  }
}

function fillFile(path: string): void {
  const database = new (sqlModule().DatabaseSync)(path);
  try {
    database.exec(`begin; ${SCHEMA.map(([, sql]) => sql).join('; ')};
      pragma application_id = ${APPLICATION}; pragma user_version = ${VERSION}; commit; pragma journal_mode = wal`);
  } finally {
    database.close();
  }
}

/** Checks the form of an open file. A refused file is closed. */
function opening(database: SqlDatabase, settings: string): Outcome<SqlConnection> {
  let opened: Outcome<SqlConnection> | undefined;
  try {
    database.exec(CAREFUL);
    const checked = checkForm(database);
    if (checked.ok) database.exec(settings);
    opened = checked.ok ? pass(new SqlConnection(database)) : checked;
  } catch (error) {
    opened = refusalOf(error);
  } finally {
    if (opened?.ok !== true) database.close();
  }
  return opened;
}

/** The file has exactly our tables and indexes: no trigger, view or table that another program could have put there. */
function checkForm(database: SqlDatabase): Outcome<void> {
  const id = database.prepare('pragma application_id').get()?.['application_id'];
  if (id !== APPLICATION) return altered('is a database of another program');
  const version = database.prepare('pragma user_version').get()?.['user_version'];
  if (Number(version) > VERSION) return refuse('store_newer', {});
  const parts = database.prepare('select name, sql from sqlite_schema where sql is not null order by name').all();
  const isOurs =
    parts.length === SCHEMA.length &&
    SCHEMA.every(([name, sql], nth) => parts[nth]?.['name'] === name && parts[nth]?.['sql'] === sql);
  return isOurs && version === VERSION ? pass(undefined) : altered('has other tables than a ledger');
}
