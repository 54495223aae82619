import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { makeSerialQueue } from '../../async.ts';
import type { SqlRow } from '../sql/frames.ts';
import { AlteredData } from '../sql/frames.ts';
import type { Durability } from '../store.ts';

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

/** Another process holds a lock of the file. */
export class BusyFile extends Error {
  override readonly name = 'BusyFile';
}

/** Primary result codes of SQLite. */
const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NO_DATABASE = 26;

/** Refusal for an exception of `node:sqlite`. Throws any other exception again: a defect, or a row that is no data. */
export function refusalOf(error: unknown): Outcome<never> {
  if (error instanceof AlteredData) return altered(error.message);
  if (isBusy(error)) return refuse('store_locked', { lock: 'held by another process' });
  const { code } = Object(error) as { readonly code?: unknown };
  const reason = error instanceof Error ? error.message : '';
  // a whole number beyond the safe integers
  if (code === 'ERR_OUT_OF_RANGE') return altered('holds a number that no ledger writes');
  if (code === 'ERR_INVALID_STATE') return refuse('store_lost', { reason });
  const result = resultOf(error);
  if (result === undefined) throw error;
  if (result === CANNOT_OPEN) return refuse('store_unopened', { reason });
  if (result === FULL) return refuse('store_full', {});
  if ([CORRUPT, CONSTRAINT, MISMATCH, NO_DATABASE].includes(result)) return altered(`is not whole: ${reason}`);
  return refuse('store_lost', { reason });
}

export function altered(what: string): Outcome<never> {
  return refuse('store_damaged', { at: 0, what });
}

export function isBusy(error: unknown): boolean {
  return error instanceof BusyFile || [BUSY, LOCKED].includes(resultOf(error) ?? 0);
}

/** True for a failure of the disk: the contents of the file are unknown until it is opened again. */
function isDiskFailure(error: unknown): boolean {
  return resultOf(error) === IO_ERROR;
}

/** Primary result code; undefined for an exception that is not SQLite's. */
function resultOf(error: unknown): number | undefined {
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Value that a statement takes or yields here. */
export type SqlValue = string | number | Uint8Array;

/** The part of `StatementSync` of `node:sqlite` that the store uses. */
interface SqlStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/** The part of `DatabaseSync` of `node:sqlite` that the store uses. */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

interface SqlModule {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => SqlDatabase;
}

/** The module `node:sqlite`. Throws `store_unsupported` where this Node has none. */
export function sqlModule(): SqlModule {
  const found = process.getBuiltinModule('node:sqlite');
  if (found !== undefined) return found as SqlModule;
  const version = process.versions.node;
  const use = 'Use Node 22.13 or later, or keep the ledger of a single process in a directory: { directory }.';
  throw new SallyportError('store_unsupported', `Node ${version} has no node:sqlite. ${use}`, { version });
}
