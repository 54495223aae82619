import type { Outcome } from '../../../core/outcome.ts';
import type { SqlConnection } from './connection.ts';
import { BusyFile, isBusy } from './refusal.ts';
import { SCHEMA } from './schema.ts';

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
