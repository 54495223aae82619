import { inParts } from '../rows.ts';
import { decodeRow, type EncodedRow, encodeKey, encodeWrite } from '../sql/frames.ts';
import type { TableName, TableRow, TableValue, TableWrite } from '../tables.ts';
import { columns, Pieces } from './columns.ts';
import type { Query } from './session.ts';

const PARTS = `select kind, substring($2::bytea from past + 1 for size) as key,
    substring($2::bytea from past + size + 1 for length) as frame
  from unnest($3::text[], $4::integer[], $5::integer[], $6::integer[]) as r (kind, past, size, length)`;
const WRITE = `insert into sallyport.row (log, kind, key, frame) select $1, r.* from (${PARTS}) r
  on conflict (log, kind, sha256(key)) do update set frame = excluded.frame`;
const DELETE = `delete from sallyport.row old using (${PARTS}) r
  where old.log = $1 and old.kind = r.kind and sha256(old.key) = sha256(r.key)`;

/** Writes rows; of several rows with the same key the last counts. */
export async function writeEncoded(query: Query, log: number, rows: readonly EncodedRow[]): Promise<void> {
  const last = [...new Map(rows.map((row) => [`${row.kind} ${Buffer.from(row.key).toString('hex')}`, row])).values()];
  const written = last.filter(({ frame }) => frame !== undefined);
  if (written.length > 0) await query(WRITE, ...valuesOf(log, written));
  if (written.length < last.length)
    await query(
      DELETE,
      ...valuesOf(
        log,
        last.filter(({ frame }) => frame === undefined),
      ),
    );
}

function valuesOf(log: number, rows: readonly EncodedRow[]): readonly unknown[] {
  const bytes = new Pieces();
  const places = rows.map(({ kind, key, frame = NONE }) => {
    const place = { kind, ...bytes.add(key), length: frame.length };
    bytes.add(frame);
    return place;
  });
  return [log, bytes.whole(), ...columns(places, ['kind', 'past', 'size', 'length'])];
}

const NONE = new Uint8Array();

/** Writes rows, a part of them in memory at a time. */
export async function writeRows(query: Query, log: number, writes: Iterable<TableWrite>): Promise<void> {
  for (const part of inParts(writes)) await writeEncoded(query, log, part.map(encodeWrite));
}

export async function readRow(
  query: Query,
  log: number,
  table: TableName,
  key: string,
): Promise<TableValue | undefined> {
  const sql = 'select key, frame from sallyport.row where log = $1 and kind = $2 and sha256(key) = sha256($3::bytea)';
  const [row] = await query(sql, log, table, encodeKey(key));
  return row && decodeRow(table, row)[1];
}

/** The rows of a table by key, after the key `after`, at most `most`. */
export async function readRows(
  query: Query,
  log: number,
  table: TableName,
  after: string | undefined,
  most: number | undefined,
): Promise<readonly TableRow[]> {
  const rows = await query(
    `select key, frame from sallyport.row where log = $1 and kind = $2 and ($3::bytea is null or
      substring(key from 1 for 1000) >= substring($3::bytea from 1 for 1000) and key > $3::bytea)
      order by substring(key from 1 for 1000), key limit $4`,
    log,
    table,
    after === undefined ? null : encodeKey(after),
    most ?? null,
  );
  return rows.map((row) => decodeRow(table, row));
}
