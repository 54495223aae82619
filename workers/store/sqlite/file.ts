import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { isCode, syncFolder } from '../directory/file.ts';
import { altered, BusyFile, isBusy, refusalOf, SqlConnection, type SqlDatabase, sqlModule } from './connection.ts';

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

/**
 * Removes erased content from the file's log, and free pages from the file where they are a quarter of it. The content
 * of the file itself is overwritten when it is deleted. `store_locked` where another process reads an older state.
 */
export function shrink(connection: SqlConnection): Promise<Outcome<void>> {
  return connection.alone(() => {
    const [free, pages] = [countOf(connection, 'freelist_count'), countOf(connection, 'page_count')];
    if (free * 4 > pages) connection.exec('vacuum');
    if (countOf(connection, 'wal_checkpoint(truncate)', 'busy') > 0) throw new BusyFile();
  });
}

function countOf(connection: SqlConnection, pragma: string, column: string = pragma): number {
  return Number(connection.get(`pragma ${pragma}`)?.[column] ?? 0);
}

/**
 * True where no other connection has the file open; the file is then left without its log until `joinOthers`. SQLite
 * takes the log away only from a file that is open once.
 */
export function isAlone(connection: SqlConnection): boolean {
  connection.exec('pragma busy_timeout = 0');
  try {
    return connection.get('pragma journal_mode = delete')?.['journal_mode'] === 'delete';
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  } finally {
    connection.exec('pragma busy_timeout = 1000');
  }
}

export function joinOthers(connection: SqlConnection): void {
  connection.exec('pragma journal_mode = wal');
}

/** Removes the tables: a process that has opened the file meanwhile finds no ledger, and writes none. */
export function dropTables(connection: SqlConnection): void {
  const tables = SCHEMA.filter(([, sql]) => sql.startsWith('CREATE TABLE'));
  connection.exec(`begin exclusive; ${tables.map(([name]) => `drop table ${name}`).join('; ')}; commit`);
}

/** `application_id` of the file: `SPLR` in ASCII. */
const APPLICATION = 0x53504c52;
/** `user_version` of the file. */
const VERSION = 1;

/**
 * Tables and indexes of the file, in the order of their names. A batch and a row are frames of the journal. A claim is
 * a lease: the store with the token `owner` holds the lock `name` until the time `expires`, in ms since epoch.
 */
const SCHEMA: readonly (readonly [name: string, sql: string])[] = [
  [
    'batch',
    'CREATE TABLE batch (seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, run_seq INTEGER NOT NULL, frame BLOB NOT NULL) STRICT',
  ],
  ['batch_run', 'CREATE UNIQUE INDEX batch_run ON batch (run_id, run_seq DESC)'],
  [
    'claim',
    'CREATE TABLE claim (name TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL, asked INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  ],
  [
    'payload',
    'CREATE TABLE payload (seq INTEGER NOT NULL, nth INTEGER NOT NULL, run_id TEXT NOT NULL, sha256 TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (seq, nth)) STRICT',
  ],
  ['payload_hash', 'CREATE INDEX payload_hash ON payload (run_id, sha256, seq)'],
  [
    'row',
    'CREATE TABLE row (kind TEXT NOT NULL, key BLOB NOT NULL, frame BLOB NOT NULL, PRIMARY KEY (kind, key)) STRICT',
  ],
];
