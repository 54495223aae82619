import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { type BatchItem, BatchQueue, type Deferred, pause } from '../../async.ts';
import type { SqlRow } from '../sql/frames.ts';
import { AlteredData } from '../sql/frames.ts';
import { ALONE, groupSize } from '../sql/group.ts';
import type { Durability } from '../store.ts';

/** Time for which a write waits for other processes before it is refused with `store_locked`. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 10;

/** Work on the file in its turn. */
interface Turn {
  readonly act: () => unknown;
  /** Of a write; absent: the act runs outside of a transaction. */
  readonly durability?: Durability;
  /** Size of a write. */
  readonly bytes: number;
}

type TurnItem = BatchItem<Turn, Outcome<unknown>>;

/**
 * An open file. Transactions do not await, so that no other statement of this process falls into them. Writes run in
 * order; writes that wait at the same time share a transaction and its flush. A write that finds the file locked waits
 * without blocking this thread.
 */
export class SqlConnection {
  readonly #database: SqlDatabase;
  readonly #statements = new Map<string, SqlStatement>();
  readonly #turns = new BatchQueue<Turn, Outcome<unknown>>({
    sizeOf: (waiting) => groupSize(waiting.map(({ item }) => item.bytes)),
    // a flush blocks this thread: the runs that have come to a write meanwhile are heard in the next task
    gather: pause,
    work: (items) => this.#workAll(items),
  });
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

  /**
   * Writes all or nothing. `strict` is flushed to the disk before the answer, with every earlier write. A write of so many
   * bytes shares its transaction with others; the act may then run again. Without `bytes` it has a transaction of its own.
   */
  write<T>(durability: Durability, act: () => T, bytes: number = ALONE): Promise<Outcome<T>> {
    return this.#turns.add({ act, durability, bytes }) as Promise<Outcome<T>>;
  }

  /** Runs the act between two writes, and again while the file is locked. */
  alone<T>(act: () => T): Promise<Outcome<T>> {
    return this.#turns.add({ act, bytes: ALONE }) as Promise<Outcome<T>>;
  }

  /** Closes the file after all writes. */
  async close(): Promise<void> {
    await this.alone(() => undefined);
    this.end();
  }

  /** Closes the file at once. */
  end(): void {
    this.#database.close();
  }

  /**
   * Carries out turns together, or a single turn. Where a transaction fails that several writes share, each write gets a
   * transaction of its own, and so an answer of its own.
   */
  async #workAll(items: readonly TurnItem[]): Promise<void> {
    try {
      const done = await this.#patiently(() => this.#carryOut(items.map(({ item }) => item)));
      for (const [nth, { result }] of items.entries()) result.resolve(done.ok ? pass(done.value[nth]) : done);
    } catch (error) {
      if (items.length === 1) for (const { result } of items) refuseBy(result, error);
      else for (const item of items) await this.#workAll([item]);
    }
  }

  /** Tries the act again while the file is locked. Throws what is neither a lock nor a failure of the disk. */
  async #patiently<T>(act: () => T): Promise<Outcome<T>> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      if (this.#dead !== undefined) return this.#dead;
      try {
        return pass(act());
      } catch (error) {
        if (isDiskFailure(error)) return (this.#dead = refusalOf(error));
        if (!isBusy(error)) throw error;
        if (performance.now() > end) return refusalOf(error);
      }
      await new Promise((later) => setTimeout(later, RETRY_MS));
    }
  }

  /** The results of turns: writes in a transaction, or a single turn outside of one. */
  #carryOut(turns: readonly Turn[]): readonly unknown[] {
    const actAll = (): readonly unknown[] => turns.map(({ act }) => act());
    const durabilities = turns.flatMap(({ durability }) => durability ?? []);
    if (durabilities.length === 0) return actAll();
    const durability = durabilities.includes('strict') ? 'strict' : 'relaxed';
    if (this.#durability !== durability)
      this.exec(`pragma synchronous = ${durability === 'strict' ? 'full' : 'normal'}`);
    this.#durability = durability;
    return this.#transaction('begin immediate', actAll);
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

/** Resolves to the refusal for an exception, or rejects with it. */
function refuseBy(result: Deferred<Outcome<unknown>>, error: unknown): void {
  try {
    result.resolve(refusalOf(error));
  } catch (thrown) {
    result.reject(thrown);
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
