import { pause } from '../../async.ts';
import { addBatches, addingOf, type EncodedBatch, type LogBatches } from './adding.ts';
import type { Query } from './session.ts';
import type { BoundStatement } from './statement.ts';

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
