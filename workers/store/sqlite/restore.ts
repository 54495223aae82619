import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { encodeBatch, encodeKey, encodeRow } from '../sql/frames.ts';
import type { Exchange, Page, Pages } from '../store.ts';
import { readLog } from './batches.ts';
import type { SqlConnection } from './connection.ts';

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

/** Collects the pages outside of the file; the commit replaces all of the file's batches and rows in a transaction. */
export async function prepareExchange(
  connection: SqlConnection,
  pages: Pages,
  isAlone: () => boolean,
): Promise<Outcome<Exchange>> {
  const discard = async (): Promise<void> => void (await connection.alone(() => connection.exec(UNSTAGE)));
  const staged = await stageAll(connection, pages).catch(async (reason: unknown) => {
    await discard();
    throw reason;
  });
  if (!staged.ok) return staged;
  const replace = (): Outcome<void> => {
    if (!isAlone()) return refuse('store_busy', {});
    for (const sql of [...EMPTY, ...COPY]) connection.run(sql);
    return pass(undefined);
  };
  const commit = async (): Promise<Outcome<void>> => {
    const replaced = await connection.write('strict', replace);
    await discard();
    return replaced.ok ? replaced.value : replaced;
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
