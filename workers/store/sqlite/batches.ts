import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import { AlteredData } from '../sql/altered.ts';
import { bytesIn, decodeBatch, decodePayload, encodeBatch } from '../sql/frames.ts';
import type { SqlRow } from '../sql/row.ts';
import { type Batch, EMPTY_LOG, type LogHead, youngestFirst } from '../store.ts';
import type { SqlConnection } from './connection.ts';

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
