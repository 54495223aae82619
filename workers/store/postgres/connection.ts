import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { pause } from '../../async.ts';
import type { Durability } from '../store.ts';
import type { PgClient, PgPool } from './driver.ts';
import { DatabaseFailure, isBroken, isPassing, isStatementLost, refusalOf } from './refusal.ts';
import { VERSION } from './schema.ts';
import {
  type BoundStatement,
  LIMITED,
  makeStatement,
  type PgSession,
  type Query,
  type Statement,
  sessionOf,
} from './session.ts';

/** Commits a transaction behind its last statement. */
export type Commit = (last: BoundStatement | undefined) => Promise<void>;

/** How a store uses the connections of its pool. */
interface ConnectionOptions {
  /** Time for which the store waits for a server that is absent, in ms. */
  readonly patienceMs?: number | undefined;
  /** True while each connection of the pool has a session of its own. Absent: no statement is prepared. */
  readonly hasSessions?: () => boolean;
  /** Newest form of the tables that this program knows. Default: the newest of this package. */
  readonly version?: number;
}

/** Time for which a store waits for a server that is absent, before it refuses with `store_lost`. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 100;

/** First key of all advisory locks of ledgers: `SPLR` in ASCII. The second key is the number of the log. */
export const LOCKS = 0x53504c52;

/** Second key of the lock of the tables themselves. */
export const TABLES_LOCK = 0;

/**
 * A write waits for other writers of its log. The server ends the transaction of a process that is paused in it. A
 * `strict` write is flushed to the disk also in a session that is set to commit without a flush.
 */
const BEGIN = (lock: number): string => `${LIMITED};
  select pg_advisory_xact_lock(${LOCKS}, ${lock})`;
const STRICT = `;
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;
/** A commit that flushes itself, and with it every earlier commit of the server. */
const FLUSH = "select pg_logical_emit_message(true, 'sallyport', '')";
/** The end of an act of `writeGroup`. */
const COMMIT: { readonly [D in Durability]: readonly Statement[] } = {
  strict: [
    makeStatement('commit'),
    makeStatement(`${FLUSH}, case when current_setting('synchronous_commit') = 'off'
      then set_config('synchronous_commit', 'on', true) end`),
  ],
  relaxed: [makeStatement('commit'), makeStatement(FLUSH)],
};

/** Flushes every commit that can be read now. A replica shows only what its disk has. */
const FLUSH_READABLE = `begin${STRICT};
  select pg_logical_emit_message(true, 'sallyport', '') where not pg_is_in_recovery(); commit`;

/**
 * A database behind a pool. No state is kept in a session but prepared statements, where sessions are known to be our
 * own: each transaction may have another connection, also through a proxy. A transaction that lost its connection is
 * repeated, so each of them must be repeatable.
 */
export class PgConnection {
  readonly #pool: PgPool;
  readonly #patienceMs: number;
  /** Reads and writes that have not answered. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #hasSessions: () => boolean;
  /** False after a session lost a prepared statement: something between us and the server changes sessions. */
  #keepsStatements = true;
  readonly version: number;
  /** Answer to each later call. */
  #ended: Outcome<never> | undefined;

  constructor(pool: PgPool, options: ConnectionOptions = {}) {
    const { patienceMs = PATIENCE_MS, hasSessions = () => false, version = VERSION } = options;
    this.#pool = pool;
    this.version = version;
    this.#patienceMs = patienceMs;
    this.#hasSessions = hasSessions;
    listenForErrors(pool);
  }

  /** Runs single statements, each at a moment of its own. */
  read<T>(act: (query: Query) => Promise<T>): Promise<Outcome<T>> {
    return this.#patiently(() => this.#withClient(act));
  }

  /** As `read`, without a second try. */
  once<T>(act: (query: Query) => Promise<T>): Promise<Outcome<T>> {
    return this.#tried(() => this.#withClient(act));
  }

  /** As `once`, in one act for all stores over the pool whose items wait at the same time. */
  together<I, R>(act: SharedAct<I, R>, item: I): Promise<Outcome<R>> {
    return this.counted(together(this.#pool, this, act, item));
  }

  /**
   * Writes the whole act or no part of it, alone among the writers with this lock. `strict` is flushed to the disk of
   * the server before the answer.
   */
  write<T>(lock: number, durability: Durability, act: (query: Query) => Promise<T>): Promise<Outcome<T>> {
    const begin = `${BEGIN(lock)}${durability === 'strict' ? STRICT : ''}`;
    return this.#patiently(() => this.#withClient((query) => transaction(query, begin, act)));
  }

  /**
   * Writes the whole act or no part of it. The act begins its transaction, takes its locks, and ends with `commit`, which
   * it gives the last statement. `strict` is flushed after the release of the locks: the next writer does not wait for
   * the disk, and writers share a flush. Other connections read the act a moment before it is on the disk.
   */
  writeGroup<T>(durability: Durability, act: (session: PgSession, commit: Commit) => Promise<T>): Promise<Outcome<T>> {
    const write = (session: PgSession) => act(session, (last) => session.end(last, COMMIT[durability]));
    return this.#patiently(() => this.#withSession((session) => orRollback(session.query, () => write(session))));
  }

  /** As `write`, where this program knows the form of the tables. `store_newer` */
  async change<T>(
    lock: number,
    durability: Durability,
    act: (query: Query) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    return flat(await this.write(lock, durability, (query) => this.#known(query, act)));
  }

  /** As `change` with `strict`, without a second try: for an act that cannot be repeated. */
  async changeOnce<T>(lock: number, act: (query: Query) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const begin = `${BEGIN(lock)}${STRICT}`;
    const known = (query: Query) => this.#known(query, act);
    return flat(await this.#tried(() => this.#withClient((query) => transaction(query, begin, known))));
  }

  async #known<T>(query: Query, act: (query: Query) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const [row] = await query('select max(version) as version from sallyport.version');
    return Number(row?.['version']) > this.version ? refuse('store_newer', {}) : act(query);
  }

  /** Answer to each call where the store has ended. */
  get ended(): Outcome<never> | undefined {
    return this.#ended;
  }

  /** Resolves when every read and write has answered: a write that lands later would surprise the next writer. */
  async drain(): Promise<void> {
    do {
      await Promise.allSettled(this.#running);
      // a group of appends that waits in its queue begins after the group that has answered
      await new Promise((later) => setTimeout(later));
    } while (this.#running.size > 0);
  }

  /** Answers each later call with this refusal. The pool stays open. */
  end(refusal: Outcome<never>): void {
    this.#ended ??= refusal;
  }

  close(): void {
    this.end(refuse('store_lost', { reason: 'the store is closed' }));
  }

  #patiently<T>(act: () => Promise<T>): Promise<Outcome<T>> {
    return this.counted(this.#repeated(act));
  }

  #tried<T>(act: () => Promise<T>): Promise<Outcome<T>> {
    return this.counted(this.#single(act));
  }

  /** Has `drain` wait for this answer. */
  counted<T>(answer: Promise<T>): Promise<T> {
    this.#running.add(answer);
    const forget = (): void => void this.#running.delete(answer);
    void answer.then(forget, forget);
    return answer;
  }

  async #repeated<T>(act: () => Promise<T>): Promise<Outcome<T>> {
    const end = performance.now() + this.#patienceMs;
    for (;;) {
      if (this.#ended !== undefined) return this.#ended;
      try {
        return pass(await act());
      } catch (error) {
        if (!isPassing(error) || performance.now() > end) return refusalOf(error);
      }
      await new Promise((later) => setTimeout(later, RETRY_MS));
    }
  }

  async #single<T>(act: () => Promise<T>): Promise<Outcome<T>> {
    if (this.#ended !== undefined) return this.#ended;
    try {
      return pass(await act());
    } catch (error) {
      return refusalOf(error);
    }
  }

  #withClient<T>(act: (query: Query) => Promise<T>): Promise<T> {
    return this.#withSession(({ query }) => act(query));
  }

  async #withSession<T>(act: (session: PgSession) => Promise<T>): Promise<T> {
    const client = await connected(this.#pool);
    let isLost = false;
    try {
      return await act(sessionOf(client, this.#keepsStatements && this.#hasSessions()));
    } catch (error) {
      if (error instanceof DatabaseFailure && isStatementLost(error)) this.#keepsStatements = false;
      isLost = isBroken(error);
      throw error;
    } finally {
      client.release(isLost);
    }
  }
}

async function transaction<T>(query: Query, begin: string, act: (query: Query) => Promise<T>): Promise<T> {
  return orRollback(query, async () => {
    await query(begin);
    const done = await act(query);
    await query('commit');
    return done;
  });
}

/** Runs an act. A failure takes back what the act has begun and not committed. */
async function orRollback<T>(query: Query, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    // a broken connection has no transaction, and the first failure is told
    await query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Flushes what the same act has read. A flush that fails leaves no transaction open. */
export async function flushReadable(query: Query): Promise<void> {
  try {
    await query(FLUSH_READABLE);
  } catch (error) {
    await query('rollback').catch(() => undefined);
    throw error;
  }
}

export function flat<T>(outcome: Outcome<Outcome<T>>): Outcome<T> {
  return outcome.ok ? outcome.value : outcome;
}

const LISTENED = new WeakSet<PgPool | PgClient>();

/**
 * Listens for good to a pool and its connections: a connection may end at once after it was made, and may report its
 * end after its query has failed and it was given back. An error without a listener would end the program.
 */
function listenForErrors(pool: PgPool): void {
  if (LISTENED.has(pool)) return;
  LISTENED.add(pool);
  pool.on('error', ignore);
  pool.on('connect', listenToClient);
}

/** A pool may have made the connection before the store came to it. */
function listenToClient(client: PgClient): void {
  if (LISTENED.has(client)) return;
  LISTENED.add(client);
  client.on('error', ignore);
}

function ignore(): void {}

/** A connection of the pool, whose errors are listened to. Throws `DatabaseFailure`. */
export async function connected(pool: PgPool): Promise<PgClient> {
  try {
    const client = await pool.connect();
    listenToClient(client);
    return client;
  } catch (error) {
    throw new DatabaseFailure(error);
  }
}

/** A statement for several stores: answers their items, in order. */
export type SharedAct<I, R> = (query: Query, items: readonly I[]) => Promise<readonly R[]>;

/** The connection of a store, as a shared act needs it. */
interface ActingStore {
  /** Answer of a store that has ended. */
  readonly ended: Outcome<never> | undefined;
  once<T>(act: (query: Query) => Promise<T>): Promise<Outcome<T>>;
}

interface Waiting {
  readonly store: ActingStore;
  readonly item: unknown;
  readonly answer: (answer: Outcome<unknown>) => void;
}

const WAITING = new WeakMap<PgPool, Map<unknown, Waiting[]>>();

/**
 * Runs an act once for the items of all stores over the pool that come in the same turn of the event loop: many logs
 * then cost about as much as one. An act does not wait for an act before it, whose connection may hang. It is not
 * repeated after a failure.
 */
function together<I, R>(pool: PgPool, store: ActingStore, act: SharedAct<I, R>, item: I): Promise<Outcome<R>> {
  const acts = WAITING.get(pool) ?? new Map<unknown, Waiting[]>();
  WAITING.set(pool, acts);
  return new Promise((resolve) => {
    const waiting: Waiting = { store, item, answer: (answer) => resolve(answer as Outcome<R>) };
    const others = acts.get(act);
    if (others !== undefined) return void others.push(waiting);
    const all = [waiting];
    acts.set(act, all);
    void pause().then(() => {
      acts.delete(act);
      return carryOut(act as SharedAct<unknown, unknown>, all);
    });
  });
}

async function carryOut(act: SharedAct<unknown, unknown>, all: readonly Waiting[]): Promise<void> {
  const open = all.filter(({ store, answer }) => {
    if (store.ended !== undefined) answer(store.ended);
    return store.ended === undefined;
  });
  const items = open.map(({ item }) => item);
  const answers = await open[0]?.store.once((query) => act(query, items));
  if (answers === undefined) return;
  for (const [nth, { answer }] of open.entries()) answer(answers.ok ? pass(answers.value[nth]) : answers);
}

/**
 * Time until the next beat of an interval, in ms: stores that act at intervals act at the same time, so that they act
 * together. It is between an eighth of the interval and an eighth more than the interval.
 */
export function untilBeat(intervalMs: number): number {
  const left = intervalMs - (performance.now() % intervalMs);
  return left < intervalMs / 8 ? left + intervalMs : left;
}
