import type { PgClient, PgPool } from '../../../../workers/postgres.ts';

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
    const query: PgClient['query'] = async (given, values) => {
      await before(typeof given === 'string' ? given : given.text);
      return values === undefined ? client.query(given) : client.query(given, values);
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

/** True for the first statement that matches, and for no later one. */
export function firstOf(pattern: RegExp): (text: string) => boolean {
  let isOver = false;
  return (text) => {
    if (isOver || !pattern.test(text)) return false;
    isOver = true;
    return true;
  };
}
