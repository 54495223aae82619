import type { Socket } from 'node:net';
import type { PgClient, PgPool } from '../../workers/postgres.ts';

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
    statements += 1;
    if (sql.startsWith('begin')) open.delete(client);
    if (!sql.includes('insert into sallyport.batch') || sql.endsWith(AGAIN)) return;
    const [past = [], size = []] = [5, 6].map((at) => [values[at], values[at + 5]].flatMap(numbersIn));
    const added: Added = { bytes: values[0] as Uint8Array, past, size, sql, values };
    const transaction = open.get(client);
    if (transaction !== undefined) return void transaction.push(added);
    const begun = [added];
    open.set(client, begun);
    written.set(client, [...(written.get(client) ?? []), begun]);
  }

  function wrap(client: PgClient): PgClient {
    const query: PgClient['query'] = (given, values) => {
      if (typeof given === 'string') note(client, given, values);
      else note(client, given.text, given.values);
      return values === undefined ? client.query(given) : client.query(given, values);
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

/** The numbers of a list as PostgreSQL reads it. */
export function numbersIn(list: unknown): readonly number[] {
  return JSON.parse(`[${String(list).slice(1, -1)}]`) as number[];
}

function socketOf(client: PgClient): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
