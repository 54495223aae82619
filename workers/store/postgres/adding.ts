import { encodeBatch } from '../sql/frames.ts';
import type { Batch, StoredPayload } from '../store.ts';
import { columns, itemsOf, Pieces } from './columns.ts';
import type { Query } from './session.ts';
import { type BoundStatement, makeStatement } from './statement.ts';

/**
 * Adds batches and their payloads, which name their batch by its number. All their bytes come in the single value `$1`:
 * each frame has its place and its size in it, and the payloads of a batch stand behind its frame.
 */
const ADD = makeStatement(`
  with b as materialized (
    select * from unnest($2::integer[], $3::integer[], $4::bigint[], $5::text[], $6::bigint[], $7::integer[],
      $8::integer[]) as b (number, log, seq, run_id, run_seq, past, size)),
  added as (
    insert into sallyport.batch (log, seq, run_id, run_seq, frame)
    select log, seq, run_id, run_seq, substring($1::bytea from past + 1 for size) from b)
  insert into sallyport.payload (log, seq, nth, run_id, sha256, bytes)
  select log, seq, nth, run_id, sha256, substring($1::bytea from b.past + b.size + p.past + 1 for p.size)
  from unnest($9::integer[], $10::integer[], $11::text[], $12::integer[], $13::integer[])
    as p (number, nth, sha256, past, size) join b using (number)`);

/** The payloads of a batch as `ADD` takes them. They do not depend on the place of the batch. */
export interface EncodedPayloads {
  /** Number that no other batch of the statement has. */
  readonly number: number;
  readonly bytes: readonly Uint8Array[];
  /** Items of the columns of `ADD`; without payloads there are none. */
  readonly items: readonly string[];
}

/** A batch as it is written. */
export interface EncodedBatch {
  readonly batch: Batch;
  readonly frame: Uint8Array;
  readonly payloads: EncodedPayloads;
}

/** Batches for the end of a log. */
export interface LogBatches {
  readonly log: number;
  readonly encoded: readonly EncodedBatch[];
}

/** Encodes payloads for the batch with this number. */
export function encodePayloads(payloads: readonly StoredPayload[], number: number): EncodedPayloads {
  let end = 0;
  const rows = payloads.map(({ sha256, bytes }, nth) => {
    end += bytes.length;
    return { number, nth, sha256, past: end - bytes.length, size: bytes.length };
  });
  const items = rows.length === 0 ? [] : PAYLOAD_COLUMNS.map((name) => itemsOf(rows.map((row) => row[name])));
  return { number, bytes: payloads.map(({ bytes }) => bytes), items };
}

const PAYLOAD_COLUMNS = ['number', 'nth', 'sha256', 'past', 'size'] as const;

/** Encodes batches as their rows hold them. */
export function encodeBatches(batches: readonly Batch[]): readonly EncodedBatch[] {
  return batches.map((batch, number) => ({
    batch,
    frame: encodeBatch(batch),
    payloads: encodePayloads(batch.payloads, number),
  }));
}

/** Adds batches behind the ends of these logs, in a single statement. */
export async function addBatches(query: Query, all: readonly LogBatches[]): Promise<void> {
  const { statement, values } = addingOf(all);
  await query(statement, ...values);
}

/** The statement that adds batches behind the ends of these logs. */
export function addingOf(all: readonly LogBatches[]): BoundStatement {
  const pieces = new Pieces();
  const payloads: (readonly string[])[] = [];
  const rows = all.flatMap(({ log, encoded }) =>
    encoded.map(({ batch: { seq, run_id, run_seq }, frame, payloads: { number, bytes, items } }) => {
      const place = pieces.add(frame);
      for (const each of bytes) pieces.add(each);
      if (items.length > 0) payloads.push(items);
      return { number, log, seq, run_id, run_seq, ...place };
    }),
  );
  const values = [
    pieces.whole(),
    ...columns(rows, ['number', 'log', 'seq', 'run_id', 'run_seq', 'past', 'size']),
    ...PAYLOAD_COLUMNS.map((_, nth) => `{${payloads.map((items) => items[nth]).join()}}`),
  ];
  return { statement: ADD, values };
}
