import { pause } from '../../async.ts';
import { encodeBatch } from '../sql/frames.ts';
import type { Batch, StoredPayload } from '../store.ts';
import { columns, itemsOf, Pieces } from './columns.ts';
import { type BoundStatement, makeStatement, type Query } from './session.ts';

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
interface LogBatches {
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
function addingOf(all: readonly LogBatches[]): BoundStatement {
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

/**
 * Bytes behind which the batches that wait are sent, about fifty steps. Smaller parts take longer: the server then runs
 * on the processor of the program, and the program waits for it.
 */
const PART_BYTES = 262_144;

/**
 * Sends the batches of a transaction in parts, while the program places and encodes the batches behind them: so program
 * and server work at the same time. One statement runs at a time. After a failure, each method throws it.
 */
export class Sending {
  readonly #query: Query;
  #waiting = new Map<number, EncodedBatch[]>();
  /** Bytes that wait, and bytes since the sockets had their last turn. */
  #bytes = 0;
  #since = 0;
  /** The statement that runs. */
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  readonly #sentLogs = new Set<number>();

  constructor(query: Query) {
    this.#query = query;
  }

  /** True when batches of the log were sent: the transaction must be taken back if its other batches cannot follow. */
  hasSent(log: number): boolean {
    return this.#sentLogs.has(log);
  }

  /** Takes a batch of a log, to be sent behind its batches before. */
  add(log: number, encoded: EncodedBatch): void {
    const there = this.#waiting.get(log);
    if (there === undefined) this.#waiting.set(log, [encoded]);
    else there.push(encoded);
    const size = bytesOf(encoded);
    this.#bytes += size;
    this.#since += size;
  }

  /** True where `turn` is due. */
  get isDue(): boolean {
    return this.#since >= PART_BYTES;
  }

  /** Sends what waits unless a statement runs, and gives the sockets a turn. */
  async turn(): Promise<void> {
    this.#since = 0;
    if (this.#running === undefined) this.#send();
    await pause();
    this.#check();
  }

  /** Runs a statement between two parts. */
  query: Query = async (sql, ...values) => {
    await this.#idle();
    this.#check();
    return this.#query(sql, ...values);
  };

  /** Drops what waits of a log. */
  drop(log: number): void {
    this.#bytes -= (this.#waiting.get(log) ?? []).reduce((sum, each) => sum + bytesOf(each), 0);
    this.#waiting.delete(log);
  }

  /** Resolves, when the server has what was sent, to the statement for what waits. */
  async last(): Promise<BoundStatement | undefined> {
    await this.#idle();
    this.#check();
    return this.#bytes > 0 ? addingOf(this.#taken()) : undefined;
  }

  /** Sends nothing more. Resolves when no statement runs. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    this.#bytes = 0;
    await this.#idle();
  }

  async #idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #taken(): readonly LogBatches[] {
    const all = [...this.#waiting].map(([log, encoded]): LogBatches => ({ log, encoded }));
    this.#waiting = new Map();
    this.#bytes = 0;
    return all;
  }

  #send(): void {
    const all = this.#taken();
    for (const { log } of all) this.#sentLogs.add(log);
    this.#running = this.#sent(all);
  }

  async #sent(all: readonly LogBatches[]): Promise<void> {
    try {
      await addBatches(this.#query, all);
    } catch (error) {
      this.#failure = { error };
    }
    this.#running = undefined;
    if (this.#failure === undefined && this.#bytes >= PART_BYTES) this.#send();
  }
}

function bytesOf({ frame, batch }: EncodedBatch): number {
  return batch.payloads.reduce((sum, { bytes }) => sum + bytes.length, frame.length);
}
