import { sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { deferred } from '../../async.ts';
import type { SqlRow } from '../sql/frames.ts';
import type { PgClient } from './driver.ts';
import { DatabaseFailure } from './refusal.ts';

/** Runs a statement with parameters `$1`, `$2` and so on. Throws `DatabaseFailure`. */
export type Query = (sql: string | Statement, ...values: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** A statement that each append runs. Its name is made of its text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement that a session may keep prepared. */
export function makeStatement(text: string): Statement {
  return { name: `sallyport ${sha256Hex(encodeText(text)).slice(0, 16)}`, text };
}

/** A statement and its values: text that the server reads, or bytes. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: readonly (string | Buffer)[];
}

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

/** The messages of the protocol that a client of `pg` sends. The native driver has none of them. */
interface Protocol {
  parse(message: { readonly text: string; readonly name: string; readonly types: readonly number[] }): void;
  bind(message: { readonly portal: string; readonly statement: string; readonly values: readonly unknown[] }): void;
  execute(message: { readonly portal: string }): void;
  sync(): void;
  readonly stream: { cork(): void; uncork(): void };
}

/** A client of `pg` that takes queries which send their messages themselves, as it does for cursors. */
interface MessagingClient {
  query(message: StatementMessage): unknown;
  readonly connection?: Partial<Protocol>;
  /** True for a client that sends queries before the answers of others. It takes no such query. */
  readonly pipeline?: boolean;
}

/** A statement with the name that it has in the session; an empty name is not kept. */
interface NamedStatement extends BoundStatement {
  readonly name: string;
  /** True where the session has the statement under its name. */
  readonly isPrepared: boolean;
}

/**
 * Statements that are sent as a single message, and whose rows nobody reads. A statement that fails ends the message:
 * the server leaves out the statements behind it. So a commit can be sent with the statement before it.
 */
export class StatementMessage {
  readonly statements: readonly NamedStatement[];
  /** Called at the end, with the error of the driver. The driver and programs that trace it put functions around it. */
  callback: (error: unknown) => void;
  /** Resolves when the server has run all statements. Rejects with the error of the driver. */
  readonly done: Promise<void>;

  constructor(statements: readonly NamedStatement[]) {
    this.statements = statements;
    const { promise, resolve, reject } = deferred<void>();
    this.done = promise;
    this.callback = (error) => (error === null ? resolve() : reject(error));
  }

  submit(connection: Protocol): void {
    // a single write: the server would otherwise wake for the first part, and wait for the others
    connection.stream.cork();
    try {
      for (const { statement, values, name, isPrepared } of this.statements) {
        if (!isPrepared) connection.parse({ text: statement.text, name, types: [] });
        connection.bind({ portal: '', statement: name, values });
        connection.execute({ portal: '' });
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** True for a client whose driver lets a query send its messages. */
export function takesMessages(client: PgClient): boolean {
  const { connection, pipeline } = client as unknown as MessagingClient;
  return pipeline !== true && typeof connection?.parse === 'function' && typeof connection.stream?.cork === 'function';
}

/** The statements that a session has prepared in messages. The driver keeps a list of its own for other queries. */
class SessionMessages {
  readonly #prepared = new Map<string, string>();
  /** Messages that failed while they prepared: a name of theirs may be taken. */
  #failures = 0;

  async run(client: PgClient, statements: readonly BoundStatement[], prepares: boolean): Promise<void> {
    const named = statements.map((bound) => ({ ...bound, ...this.#nameOf(bound.statement.name, prepares) }));
    const message = new StatementMessage(named);
    try {
      (client as unknown as MessagingClient).query(message);
      await message.done;
    } catch (error) {
      this.#failures++;
      throw error;
    }
    if (prepares) for (const { statement, name } of named) this.#prepared.set(statement.name, name);
  }

  /** A name that the driver does not use for the statement. */
  #nameOf(statement: string, prepares: boolean): Pick<NamedStatement, 'name' | 'isPrepared'> {
    const name = prepares ? this.#prepared.get(statement) : undefined;
    if (name !== undefined) return { name, isPrepared: true };
    return { name: prepares ? `${statement} ${this.#failures}` : '', isPrepared: false };
  }
}

const OF_SESSION = new WeakMap<PgClient, SessionMessages>();

/**
 * Runs statements that are sent as a single message; the session keeps them prepared where it `prepares`. Throws the error
 * of the driver.
 */
export function runTogether(client: PgClient, statements: readonly BoundStatement[], prepares: boolean): Promise<void> {
  const messages = OF_SESSION.get(client) ?? new SessionMessages();
  OF_SESSION.set(client, messages);
  return messages.run(client, statements, prepares);
}
