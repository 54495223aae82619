import type { PgClient, PgPool, PgQuery } from '../../../../workers/postgres.ts';
import type { StatementMessage } from '../../../../workers/store/postgres/session.ts';

/**
 * A pool whose connections are cut at each statement that `fails` returns true for: the statement does not reach the
 * server.
 */
export function failingPool(pool: PgPool, fails: (text: string) => boolean): PgPool {
  return watchedPool(pool, async (text) => {
    if (fails(text)) throw new Error('Connection terminated unexpectedly');
  });
}

/** A pool that calls `before` with each statement, and sends it behind the answer. */
export function watchedPool(pool: PgPool, before: (text: string) => Promise<void>): PgPool {
  const wrapped = new WeakMap<PgClient, PgClient>();
  const wrap = (client: PgClient): PgClient => {
    const query = async (given: string | PgQuery | StatementMessage, values?: unknown[]): Promise<unknown> => {
      try {
        await before(textOf(given));
      } catch (error) {
        // the driver tells a message that it cannot be sent
        if (typeof given !== 'string' && 'statements' in given) return given.handleError(error);
        throw error;
      }
      return values === undefined ? client.query(given as string) : client.query(given as string, values);
    };
    const made = new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') return query;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    wrapped.set(client, made);
    return made;
  };
  return {
    connect: async () => {
      const client = await pool.connect();
      return wrapped.get(client) ?? wrap(client);
    },
    on: (event: 'error' | 'connect', listener: never) => pool.on(event as 'error', listener),
    ...(pool.options && { options: pool.options }),
  };
}

/** The statement, or the statements of a message. */
function textOf(given: string | PgQuery | StatementMessage): string {
  if (typeof given === 'string') return given;
  return 'statements' in given ? given.statements.map(({ statement }) => statement.text).join('; ') : given.text;
}

/** True for the first statement that matches, and for no later one. */
export function firstOf(pattern: RegExp): (text: string) => boolean {
  let isOver = false;
  return (text) => {
    if (isOver || !pattern.test(text)) return false;
    isOver = true;
    return true;
  };
}
