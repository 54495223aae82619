import { rootOf } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import type { SqlRow } from '../sql/frames.ts';
import { bytesIn, decodeBatch, decodeBatchEnd, decodePayload, encodeBatch } from '../sql/frames.ts';
import {
  type Batch,
  type BatchEnd,
  EMPTY_LOG,
  type LogSnapshot,
  UNREAD_ROWS_MAX,
  type UnreadRows,
  youngestFirst,
} from '../store.ts';
import { columns, Pieces } from './columns.ts';
import { payloadNumber } from './schema.ts';
import type { Query } from './session.ts';

// a row that is not `whole` is no frame: damage, which `readUnread` finds

/** Last batch of each run, by a jump in the index from run to run. */
export const LAST_BATCHES: string = `
  with recursive last as (
    (select seq, run_id, run_seq, frame from sallyport.batch where log = $1 and whole
      order by run_id, run_seq desc limit 1)
    union all
    select next.* from last, lateral (
      select seq, run_id, run_seq, frame from sallyport.batch where log = $1 and run_id > last.run_id
        and whole order by run_id, run_seq desc limit 1) next)
  select * from last`;

const LAST_BATCH = `select seq, run_id, run_seq, frame from sallyport.batch where log = $1 and whole
  and ($2::bigint is null or seq < $2) order by seq desc limit 1`;

const BATCH = `select seq, run_id, run_seq, frame from sallyport.batch where log = $1 and run_id = $2 and run_seq = $3
  and whole`;

/** Rows that are no frames, and their number. */
const UNREAD = `select seq, octet_length(frame) as bytes, count(*) over () as rows from sallyport.batch
  where log = $1 and not whole order by seq limit ${UNREAD_ROWS_MAX}`;

/** The batches of the query `page`, each before its payloads. */
const withPayloads = (page: string): string => `
  with page as (${page})
  select seq, -1 as nth, run_id, run_seq, frame, null as sha256, null::bytea as bytes from page
  union all
  select p.seq, p.nth, null, null, null, p.sha256, p.bytes from sallyport.payload p where p.log = $1
    and p.seq in (select seq from page)
  order by seq, nth`;

// the batch with record `$3` is the last batch that does not begin after it
export const RUN_PAGE: string = withPayloads(`
  select seq, run_id, run_seq, frame from sallyport.batch where log = $1 and run_id = $2 and whole
    and run_seq >= coalesce(
    (select run_seq from sallyport.batch where log = $1 and run_id = $2 and whole and run_seq <= $3
      order by run_seq desc limit 1), 0) order by run_seq limit $4`);

const LOG_PAGE = withPayloads(
  `select seq, run_id, run_seq, frame from sallyport.batch where log = $1 and whole and seq >= $2
    order by seq limit $3`,
);

/** The payload `$3` of the run `$2` in the log `$1`, in the batches up to the batch of record `$4`. */
export const PAYLOAD: string = `
  select bytes from sallyport.payload where log = $1 and run_id = $2 and sha256 = $3
    and ${payloadNumber('run_id', 'sha256')} = ${payloadNumber('$2::text', '$3::text')} and seq <=
    (select seq from sallyport.batch where log = $1 and run_id = $2 and whole and run_seq <= $4
      order by run_seq desc limit 1)
  order by seq desc limit 1`;

const ADD_PAYLOADS = `
  insert into sallyport.payload (log, seq, nth, run_id, sha256, bytes)
  select $2, seq, nth, run_id, sha256, substring($1::bytea from past + 1 for size)
  from unnest($3::bigint[], $4::integer[], $5::text[], $6::text[], $7::integer[], $8::integer[])
    as p (seq, nth, run_id, sha256, past, size)`;

const REPLACE = `update sallyport.batch set frame = $3 where log = $1 and whole and seq = $2`;

/** The last batch of the log, or the last that begins before place `end`; undefined for none. */
export async function readLastBatch(query: Query, log: number, end?: number): Promise<Batch | undefined> {
  const [last] = await query(LAST_BATCH, log, end ?? null);
  return last && batchIn(last);
}

/** Head and rows of the log at a single moment. */
export async function readSnapshot(query: Query, log: number): Promise<LogSnapshot> {
  const rows = (await query(LAST_BATCHES, log)).map(batchIn);
  const last = rows.reduce<Batch | undefined>((one, other) => (one && one.seq > other.seq ? one : other), undefined);
  const frontier = last?.after.log ?? EMPTY_LOG;
  return { size: frontier.size, root: rootOf(frontier), runs: standing(rows) };
}

/** Rows of all runs but the deleted, the youngest first. */
export async function readRuns(query: Query, log: number): Promise<readonly RunRow[]> {
  return standing((await query(LAST_BATCHES, log)).map(batchIn));
}

function standing(batches: readonly Batch[]): readonly RunRow[] {
  return youngestFirst(batches.flatMap(({ gone, after }) => (gone === undefined ? [after.run] : [])));
}

/** The batches of a run from the batch with record `from` on, at most `most`. */
export async function readBatches(
  query: Query,
  log: number,
  run_id: string,
  from: number,
  most: number | undefined,
): Promise<readonly Batch[]> {
  const batches = batchesIn(await query(RUN_PAGE, log, run_id, from, limitOf(most)));
  return batches.filter((batch) => batch.after.run.records > from);
}

/** The batch of a run that begins with this record, without its payloads. */
export async function readBatch(
  query: Query,
  log: number,
  run_id: string,
  run_seq: number,
): Promise<Batch | undefined> {
  const [row] = await query(BATCH, log, run_id, run_seq);
  return row && batchIn(row);
}

/** The batches of all runs from this place in the log on, at most `most`. */
export async function readLogBatches(query: Query, log: number, from: number, most: number): Promise<readonly Batch[]> {
  return batchesIn(await query(LOG_PAGE, log, from, limitOf(most)));
}

/** The rows of a log that are no frames. */
export async function readUnread(query: Query, log: number): Promise<UnreadRows> {
  const rows = await query(UNREAD, log);
  const places = rows.map(({ seq, bytes }) => ({ place: Number(seq), bytes: Number(bytes) }));
  return { places, count: Number(rows[0]?.['rows'] ?? 0) };
}

/** Deletes all batches of a log, and the rows beside them that are no frames. */
export async function deleteBatches(query: Query, log: number): Promise<void> {
  // an index holds the rows of one kind
  for (const kind of ['whole', 'not whole']) await query(`delete from sallyport.batch where log = $1 and ${kind}`, log);
}

/** The last payload with this hash in the batches of a run up to the batch of record `upTo`. */
export async function readPayload(
  query: Query,
  log: number,
  run_id: string,
  sha256: string,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Promise<Uint8Array | undefined> {
  const [row] = await query(PAYLOAD, log, run_id, sha256, Math.min(upTo, Number.MAX_SAFE_INTEGER));
  return row && new Uint8Array(bytesIn(row['bytes']));
}

/** Replaces batches by batches with less content. */
export async function replaceBatches(query: Query, log: number, batches: readonly Batch[]): Promise<void> {
  for (const batch of batches) await query(REPLACE, log, batch.seq, encodeBatch(batch));
  await query(
    'delete from sallyport.payload where log = $1 and seq = any($2::bigint[])',
    log,
    batches.map(({ seq }) => seq),
  );
  const bytes = new Pieces();
  const payloads = batches.flatMap((batch) => {
    const { seq, run_id } = batch;
    return payloadPlaces(batch, bytes).map((place) => ({ ...place, seq, run_id }));
  });
  await query(
    ADD_PAYLOADS,
    bytes.whole(),
    log,
    ...columns(payloads, ['seq', 'nth', 'run_id', 'sha256', 'past', 'size']),
  );
}

/** Adds the payloads of a batch to the bytes. */
function payloadPlaces({ payloads }: Batch, all: Pieces) {
  return payloads.map(({ sha256, bytes }, nth) => {
    const { past, size } = all.add(bytes);
    return { nth, sha256, past, size };
  });
}

/** Batches from rows of `withPayloads`. */
function batchesIn(rows: readonly SqlRow[]): readonly Batch[] {
  const batches = new Map<number, Batch>();
  for (const row of rows) {
    const seq = Number(row['seq']);
    const batch = batches.get(seq);
    if (Number(row['nth']) < 0) batches.set(seq, batchIn(row));
    else if (batch !== undefined) {
      const { sha256, bytes } = decodePayload(row);
      batches.set(seq, { ...batch, payloads: [...batch.payloads, { sha256, bytes: new Uint8Array(bytes) }] });
    }
  }
  return [...batches.values()];
}

/** The batch in a row of `batch`, whose numbers are text. Throws `AlteredData`. */
function batchIn({ seq, run_id, run_seq, frame }: SqlRow): Batch {
  return decodeBatch({ seq: Number(seq), run_id, run_seq: Number(run_seq), frame });
}

/** The end of the batch in a row of `batch`, whose numbers are text. Throws `AlteredData`. */
export function endIn({ seq, run_id, run_seq, frame }: SqlRow): BatchEnd {
  return decodeBatchEnd({ seq: Number(seq), run_id, run_seq: Number(run_seq), frame });
}

function limitOf(most: number | undefined): number | null {
  return most === undefined || most === Number.POSITIVE_INFINITY ? null : most;
}
