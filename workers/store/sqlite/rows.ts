import { decodeRow, encodeKey, encodeRow } from '../sql/frames.ts';
import type { TableName, TableRow, TableValue, TableWrite } from '../tables.ts';
import type { SqlConnection } from './connection.ts';

export function writeRows(connection: SqlConnection, writes: Iterable<TableWrite>): void {
  for (const write of writes) {
    const key = encodeKey(write.key);
    if (write.value === undefined) connection.run('delete from row where kind = ? and key = ?', write.table, key);
    else connection.run('insert or replace into row values (?, ?, ?)', write.table, key, encodeRow(write));
  }
}

export function readRow(connection: SqlConnection, table: TableName, key: string): TableValue | undefined {
  const row = connection.get('select key, frame from row where kind = ? and key = ?', table, encodeKey(key));
  return row && decodeRow(table, row)[1];
}

/** The rows of a table by key, after the key `after`, at most `most`. */
export function readRows(
  connection: SqlConnection,
  table: TableName,
  after: string | undefined,
  most: number = -1,
): readonly TableRow[] {
  const [behind, key] = after === undefined ? ['>=', ''] : ['>', after];
  const sql = `select key, frame from row where kind = ? and key ${behind} ? order by key limit ?`;
  return connection.all(sql, table, encodeKey(key), most).map((row) => decodeRow(table, row));
}
