import { deferred } from '../../async.ts';
import type { PgClient } from './driver.ts';
import type { BoundStatement } from './statement.ts';

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
