import { refuse } from '../../../core/errors.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import type { EncodedRow, SqlRow } from '../sql/frames.ts';
import {
  AlteredData,
  bytesIn,
  decodeBatch,
  decodePayload,
  decodeRow,
  encodeBatch,
  encodeKey,
  encodeRow,
} from '../sql/frames.ts';
import { type Batch, EMPTY_LOG, type Exchange, type LogHead, type Page, type Pages, youngestFirst } from '../store.ts';
import type { TableName, TableRow, TableValue } from '../tables.ts';
import type { SqlConnection } from './connection.ts';
import { isAlone, joinOthers } from './file.ts';

/** End of the log. */
export function readLog(connection: SqlConnection): Frontier {
  const last = connection.get('select * from batch order by seq desc limit 1');
  return last === undefined ? EMPTY_LOG : decodeBatch(last).after.log;
}

export function readHead(connection: SqlConnection): LogHead {
  const log = readLog(connection);
  return { size: log.size, root: rootOf(log) };
}

/** Row of a run after its last batch, a deleted run included. */
export function readRun(connection: SqlConnection, run_id: string): RunRow | undefined {
  const last = connection.get('select * from batch where run_id = ? order by run_seq desc limit 1', run_id);
  return last && decodeBatch(last).after.run;
}

/** Rows of all runs but the deleted, the youngest first. Each step jumps to the last batch of the next run. */
export function readRuns(connection: SqlConnection): readonly RunRow[] {
  const next = 'select * from batch where run_id > ? order by run_id, run_seq desc limit 1';
  const rows: RunRow[] = [];
  for (let at = connection.get(next, ''); at !== undefined; at = connection.get(next, textIn(at['run_id']))) {
    const { gone, after } = decodeBatch(at);
    if (gone === undefined) rows.push(after.run);
  }
  return youngestFirst(rows);
}

/** The batches of a run from the batch with record `from` on, at most `most`. */
export function readBatches(
  connection: SqlConnection,
  run_id: string,
  from: number,
  most: number | undefined,
): readonly Batch[] {
  // the batch with record `from` is the last batch that does not begin after it
  const begin = 'select run_seq from batch where run_id = ? and run_seq <= ? order by run_seq desc limit 1';
  const start = Number(connection.get(begin, run_id, from)?.['run_seq'] ?? 0);
  const rows = 'select * from batch where run_id = ? and run_seq >= ? order by run_seq limit ?';
  const batches = connection.all(rows, run_id, start, limitOf(most)).map((row) => withPayloads(connection, row));
  return batches.filter((batch) => batch.after.run.records > from);
}

/** The batch of a run that begins with this record. */
export function readBatch(connection: SqlConnection, run_id: string, run_seq: number): Batch | undefined {
  const row = connection.get('select * from batch where run_id = ? and run_seq = ?', run_id, run_seq);
  return row && decodeBatch(row);
}

/** The batches of all runs from this place in the log on, at most `most`. */
export function readLogBatches(connection: SqlConnection, from: number, most: number): readonly Batch[] {
  const rows = connection.all('select * from batch where seq >= ? order by seq limit ?', from, limitOf(most));
  return rows.map((row) => withPayloads(connection, row));
}

/** The last payload with this hash in the batches of a run up to the batch of record `upTo`. */
export function readPayload(
  connection: SqlConnection,
  run_id: string,
  sha256: string,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Uint8Array | undefined {
  const row = connection.get(
    `select bytes from payload where run_id = ? and sha256 = ? and seq <=
      (select seq from batch where run_id = ? and run_seq <= ? order by run_seq desc limit 1)
      order by seq desc limit 1`,
    run_id,
    sha256,
    run_id,
    Math.min(upTo, Number.MAX_SAFE_INTEGER),
  );
  return row && bytesIn(row['bytes']);
}

/** Adds a batch behind the log. */
export function addBatch(connection: SqlConnection, batch: Batch): void {
  const { seq, run_id, run_seq } = batch;
  connection.run('insert into batch values (?, ?, ?, ?)', seq, run_id, run_seq, encodeBatch(batch));
  addPayloads(connection, batch);
}

/** Replaces a batch by a batch with less content. */
export function replaceBatch(connection: SqlConnection, batch: Batch): void {
  connection.run('update batch set frame = ? where seq = ?', encodeBatch(batch), batch.seq);
  connection.run('delete from payload where seq = ?', batch.seq);
  addPayloads(connection, batch);
}

function addPayloads(connection: SqlConnection, { seq, run_id, payloads }: Batch): void {
  for (const [nth, { sha256, bytes }] of payloads.entries())
    connection.run('insert into payload values (?, ?, ?, ?, ?)', seq, nth, run_id, sha256, bytes);
}

function withPayloads(connection: SqlConnection, row: SqlRow): Batch {
  const batch = decodeBatch(row);
  const payloads = connection.all('select sha256, bytes from payload where seq = ? order by nth', batch.seq);
  return { ...batch, payloads: payloads.map(decodePayload) };
}

function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new AlteredData('has a batch of no run');
  return value;
}

/** SQLite reads a negative limit as no limit. */
function limitOf(most: number | undefined): number {
  return most === undefined || most === Number.POSITIVE_INFINITY ? -1 : most;
}

export function writeRow(connection: SqlConnection, { kind, key, frame }: EncodedRow): void {
  if (frame === undefined) connection.run('delete from row where kind = ? and key = ?', kind, key);
  else connection.run('insert or replace into row values (?, ?, ?)', kind, key, frame);
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

/** Tables outside of the file, which end with the connection. `frame` is empty for a deleted row. */
const STAGE = `
  create temp table if not exists staged_batch as select * from batch limit 0;
  create temp table if not exists staged_payload as select * from payload limit 0;
  create temp table if not exists staged_row (kind text, key blob, frame blob, primary key (kind, key));
  delete from staged_batch; delete from staged_payload; delete from staged_row`;

const UNSTAGE =
  'drop table if exists staged_batch; drop table if exists staged_payload; drop table if exists staged_row';

const EMPTY = ['delete from batch', 'delete from payload', 'delete from row'];

const COPY = [
  'insert into batch select * from staged_batch',
  'insert into payload select * from staged_payload',
  'delete from row where (kind, key) in (select kind, key from staged_row)',
  'insert into row select * from staged_row where length(frame) > 0',
];

/**
 * Collects the pages outside of the file, because a transaction does not wait, and adds them to it in a single
 * transaction. `head_moved` where another writer was faster.
 */
export async function restorePages(connection: SqlConnection, pages: Pages): Promise<Outcome<void>> {
  const staged = await stageAll(connection, pages);
  if (!staged.ok) return staged;
  const copied = await connection.write('strict', () => copyStaged(connection));
  const ended = await connection.alone(() => connection.exec(UNSTAGE));
  if (!copied.ok) return copied;
  return copied.value.ok ? ended : copied.value;
}

/**
 * Collects the pages outside of the file; the commit replaces all of the file's batches and rows in a transaction.
 * `store_busy` where another connection has the file open: SQLite tells it before the transaction, never inside it.
 */
export async function prepareExchange(connection: SqlConnection, pages: Pages): Promise<Outcome<Exchange>> {
  const discard = async (): Promise<void> => void (await connection.alone(() => connection.exec(UNSTAGE)));
  const staged = await stageAll(connection, pages).catch(async (reason: unknown) => {
    await discard();
    throw reason;
  });
  if (!staged.ok) return staged;
  const replace = (): void => {
    for (const sql of [...EMPTY, ...COPY]) connection.run(sql);
  };
  const commit = async (): Promise<Outcome<void>> => {
    const alone = await connection.alone(() => isAlone(connection));
    const replaced = alone.ok && alone.value ? await connection.write('strict', replace) : alone;
    await discard();
    if (!alone.ok || !alone.value) return alone.ok ? refuse('store_busy', {}) : alone;
    const joined = await connection.alone(() => joinOthers(connection));
    return replaced.ok ? joined : replaced;
  };
  return pass({ commit, discard });
}

async function stageAll(connection: SqlConnection, pages: Pages): Promise<Outcome<void>> {
  const begun = await connection.alone(() => connection.exec(STAGE));
  if (!begun.ok) return begun;
  for (let nth = 0, page = await pages(nth); page !== undefined; page = await pages(++nth)) {
    const staged = connection.read(() => stage(connection, page as Page));
    if (!staged.ok) return staged;
  }
  return pass(undefined);
}

/** Writes into tables of this connection alone: no other process waits. */
function stage(connection: SqlConnection, { batches, tables }: Page): void {
  for (const batch of batches) {
    const { seq, run_id, run_seq, payloads } = batch;
    connection.run('insert into staged_batch values (?, ?, ?, ?)', seq, run_id, run_seq, encodeBatch(batch));
    for (const [nth, { sha256, bytes }] of payloads.entries())
      connection.run('insert into staged_payload values (?, ?, ?, ?, ?)', seq, nth, run_id, sha256, bytes);
  }
  for (const row of tables) {
    const frame = row.value === undefined ? new Uint8Array() : encodeRow(row);
    connection.run('insert or replace into staged_row values (?, ?, ?)', row.table, encodeKey(row.key), frame);
  }
}

function copyStaged(connection: SqlConnection): Outcome<void> {
  const first = connection.get('select min(seq) as seq from staged_batch')?.['seq'];
  const { size } = readLog(connection);
  if (typeof first === 'number' && first !== size) return refuse('head_moved', { expected: first, found: size });
  for (const sql of COPY) connection.run(sql);
  return pass(undefined);
}
