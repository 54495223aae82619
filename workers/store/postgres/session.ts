import type { SqlRow } from '../sql/row.ts';
import type { PgClient } from './driver.ts';
import { runTogether, takesMessages } from './message.ts';
import { DatabaseFailure } from './refusal.ts';
import type { BoundStatement, Statement } from './statement.ts';

/** Runs a statement with parameters `$1`, `$2` and so on. Throws `DatabaseFailure`. */
export type Query = (sql: string | Statement, ...values: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** A transaction over several logs. */
export interface PgSession {
  readonly query: Query;
  /**
   * Begins the transaction, takes locks and runs a statement behind them, in a single message where the session has the
   * statement. `locks` is SQL; each value is text that the server reads. Resolves to the rows of the locks and of the
   * statement.
   */
  readonly begin: (
    locks: string,
    statement: Statement,
    values: readonly string[],
  ) => Promise<readonly [locks: readonly SqlRow[], rows: readonly SqlRow[]]>;
  /** Runs the last statement of the transaction, then these: in a single message where the driver sends one. */
  readonly end: (last: BoundStatement | undefined, then: readonly Statement[]) => Promise<void>;
}

/**
 * Begins a transaction that waits a bounded time for locks, and that the server ends where its process is paused. Each of
 * its statements reads what was committed before it, whatever the default of the session: a transaction that kept its
 * first view would not see what was committed while it waited for its lock.
 */
export const LIMITED = `begin isolation level read committed;
  set local lock_timeout = '15s'; set local idle_in_transaction_session_timeout = '10s'`;

/** The commit of the transaction does not flush; a later commit does. */
const LATER = `;
  set local synchronous_commit = off`;

/** Statements that a session was asked to prepare by `begin`. */
const PREPARED = new WeakMap<PgClient, Set<Statement>>();

/** Session of a client; `prepares` where statements stay prepared in it. */
export function sessionOf(client: PgClient, prepares: boolean): PgSession {
  const query = queryOf(client, prepares);
  const prepared = PREPARED.get(client) ?? new Set();
  PREPARED.set(client, prepared);
  const begin: PgSession['begin'] = async (locks, statement, values) => {
    const opening = `${LIMITED}${LATER};\n  ${locks}`;
    // a backslash means what the settings of the session say
    if (prepares && prepared.has(statement) && !values.some((value) => value.includes('\\'))) {
      const execute = `execute "${statement.name}"(${values.map(quoted).join()})`;
      return (await script(client, `${opening};\n  ${execute}`)).slice(-2) as [SqlRow[], SqlRow[]];
    }
    const locked = (await script(client, opening)).at(-1) ?? [];
    const rows = await query(statement, ...values);
    if (prepares) prepared.add(statement);
    return [locked, rows];
  };
  const end: PgSession['end'] = async (last, then) => {
    if (!takesMessages(client)) {
      if (last !== undefined) await query(last.statement, ...last.values);
      return void (await script(client, then.map(({ text }) => text).join('; ')));
    }
    const all = [...(last === undefined ? [] : [last]), ...then.map((statement) => ({ statement, values: [] }))];
    try {
      await runTogether(client, all, prepares);
    } catch (error) {
      throw new DatabaseFailure(error);
    }
  };
  return { query, begin, end };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Runs several statements. The driver answers several with a list. */
async function script(client: PgClient, text: string): Promise<readonly (readonly SqlRow[])[]> {
  try {
    return [await client.query(text)].flat().map(({ rows }) => rows);
  } catch (error) {
    throw new DatabaseFailure(error);
  }
}

function queryOf(client: PgClient, prepares: boolean): Query {
  return async (sql, ...values) => {
    const text = typeof sql === 'string' ? sql : sql.text;
    try {
      if (typeof sql !== 'string' && prepares) return (await client.query({ ...sql, values: [...values] })).rows;
      return (await (values.length === 0 ? client.query(text) : client.query(text, [...values]))).rows;
    } catch (error) {
      throw new DatabaseFailure(error);
    }
  };
}
