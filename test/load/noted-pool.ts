import type { Socket } from 'node:net';
import type { PgClient, PgPool, PgQuery } from '../../workers/postgres.ts';
import type { StatementMessage } from '../../workers/store/postgres/session.ts';

/** End of a statement that is run again, and not noted. */
export const AGAIN = '-- again';

/** A statement that has added records. */
export interface Added {
  /** Bytes of all pieces, and where each piece begins and how long it is. */
  readonly bytes: Uint8Array;
  readonly past: readonly number[];
  readonly size: readonly number[];
  /** The statement of the store. */
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** What a transaction has added, by statement. */
export type Written = readonly Added[];

/** A pool that notes what a store writes over it, and counts what goes over its connections. */
export interface NotedPool {
  readonly pool: PgPool;
  /** The transactions of each connection that added records, in order. Its user may clear it. */
  readonly written: Map<PgClient, readonly Written[]>;
  /** Statements and bytes up to now, on all connections. A statement is one wait for the server. */
  counts(): { readonly statements: number; readonly sent: number; readonly received: number };
}

export function notedPool(pool: PgPool): NotedPool {
  const written = new Map<PgClient, readonly Written[]>();
  const clients = new Map<PgClient, PgClient>();
  /** What the open transaction of each connection has added. */
  const open = new WeakMap<PgClient, Added[]>();
  let statements = 0;

  function note(client: PgClient, sql: string, values: readonly unknown[] = []): void {
    if (sql.startsWith('begin')) open.delete(client);
    if (!sql.includes('insert into sallyport.batch') || sql.endsWith(AGAIN)) return;
    const added: Added = { bytes: values[0] as Uint8Array, ...piecesIn(values), sql, values };
    const transaction = open.get(client);
    if (transaction !== undefined) return void transaction.push(added);
    const begun = [added];
    open.set(client, begun);
    written.set(client, [...(written.get(client) ?? []), begun]);
  }

  function wrap(client: PgClient): PgClient {
    const query = (given: string | PgQuery | StatementMessage, values?: unknown[]): unknown => {
      statements += 1;
      if (typeof given === 'string') note(client, given, values);
      else if ('statements' in given)
        for (const { statement, values: own } of given.statements) note(client, statement.text, own);
      else note(client, given.text, given.values);
      return values === undefined ? client.query(given as string) : client.query(given as string, values);
    };
    const made = new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') return query;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    clients.set(client, made);
    return made;
  }

  const bytes = (count: 'bytesWritten' | 'bytesRead') =>
    [...clients.keys()].reduce((sum, client) => sum + socketOf(client)[count], 0);
  return {
    written,
    counts: () => ({ statements, sent: bytes('bytesWritten'), received: bytes('bytesRead') }),
    pool: {
      connect: async () => {
        const client = await pool.connect();
        return clients.get(client) ?? wrap(client);
      },
      on: (event: 'error' | 'connect', listener: never) => pool.on(event as 'error', listener),
      ...(pool.options && { options: pool.options }),
    },
  };
}

/** Where each frame and each payload is in the bytes of a statement that adds batches. `$1` of it is the first value. */
function piecesIn(values: readonly unknown[]): Pick<Added, 'past' | 'size'> {
  const list = (at: number): readonly number[] => numbersIn(values[at]);
  const [past, size] = [list(6), list(7)];
  const ends = new Map(list(1).map((number, nth) => [number, (past[nth] ?? 0) + (size[nth] ?? 0)]));
  const [numbers, pasts, sizes] = [list(8), list(11), list(12)];
  return {
    past: [...past, ...pasts.map((at, nth) => at + (ends.get(numbers[nth] ?? -1) ?? 0))],
    size: [...size, ...sizes],
  };
}

/** The numbers of a list as PostgreSQL reads it. */
export function numbersIn(list: unknown): readonly number[] {
  return JSON.parse(`[${String(list).slice(1, -1)}]`) as number[];
}

function socketOf(client: PgClient): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
