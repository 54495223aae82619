import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeSerialQueue } from '../../async.ts';
import type { SqlRow } from '../sql/row.ts';
import type { Durability } from '../store.ts';
import type { SqlDatabase, SqlStatement, SqlValue } from './engine.ts';
import { isBusy, isDiskFailure, refusalOf } from './refusal.ts';

/** Time for which a write waits for other processes before it is refused with `store_locked`. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 10;

/**
 * An open file. Transactions do not await, so that no other statement of this process falls into them. Writes run one
 * after the other; a write that finds the file locked waits without blocking this thread.
 */
export class SqlConnection {
  readonly #database: SqlDatabase;
  readonly #statements = new Map<string, SqlStatement>();
  readonly #inTurn = makeSerialQueue();
  #durability: Durability | undefined;
  /** Set when the disk failed. */
  #dead: Outcome<never> | undefined;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#statement(sql).all(...values);
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#statement(sql).run(...values);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Reads at a single moment. */
  read<T>(act: () => T): Outcome<T> {
    try {
      return pass(this.#transaction('begin', act));
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Writes all or nothing. `strict` is flushed to the disk before the answer, with every earlier write. */
  write<T>(durability: Durability, act: () => T): Promise<Outcome<T>> {
    return this.alone(() => {
      if (this.#durability !== durability)
        this.exec(`pragma synchronous = ${durability === 'strict' ? 'full' : 'normal'}`);
      this.#durability = durability;
      return this.#transaction('begin immediate', act);
    });
  }

  /** Runs the act between two writes, and again while the file is locked. */
  alone<T>(act: () => T): Promise<Outcome<T>> {
    return this.#inTurn(async () => {
      const end = performance.now() + PATIENCE_MS;
      for (;;) {
        if (this.#dead !== undefined) return this.#dead;
        try {
          return pass(act());
        } catch (error) {
          const refused = refusalOf(error);
          if (isDiskFailure(error)) this.#dead = refused;
          if (!isBusy(error) || performance.now() > end) return refused;
        }
        await new Promise((later) => setTimeout(later, RETRY_MS));
      }
    });
  }

  /** Closes the file after all writes. */
  async close(): Promise<void> {
    await this.#inTurn(async () => this.end());
  }

  /** Closes the file at once. */
  end(): void {
    this.#database.close();
  }

  #statement(sql: string): SqlStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  #transaction<T>(begin: string, act: () => T): T {
    this.run(begin);
    try {
      const done = act();
      this.run('commit');
      return done;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** SQLite itself may have ended the transaction, on a full disk for example. */
  #rollBack(): void {
    try {
      this.run('rollback');
    } catch {
      // there is no transaction
    }
  }
}
