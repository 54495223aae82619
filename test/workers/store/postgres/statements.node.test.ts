import { describe, expect, test } from 'vitest';
import { PgConnection } from '../../../../workers/store/postgres/connection.ts';
import type { PgClient, PgPool, PgQuery } from '../../../../workers/store/postgres/driver.ts';
import { makeStatement } from '../../../../workers/store/postgres/session.ts';
import { valueOf } from '../store-suite.ts';

const STATEMENT = makeStatement('select $1');

/** A pool whose connections note their statements, and refuse prepared ones with this SQLSTATE. */
function newPool(state?: string) {
  const asked: (string | PgQuery)[] = [];
  const released: boolean[] = [];
  const client = {
    query: async (given: string | PgQuery) => {
      asked.push(given);
      if (state !== undefined && typeof given !== 'string') throw Object.assign(new Error('refused'), { code: state });
      return { rows: [] };
    },
    on: () => undefined,
    removeListener: () => undefined,
    release: (isBroken = false) => void released.push(isBroken),
  } satisfies PgClient;
  const pool: PgPool = { connect: async () => client, on: () => undefined };
  return { pool, asked, released };
}

const ask = (connection: PgConnection) => connection.read((query) => query(STATEMENT, 1));

describe('statements of a store', () => {
  test('a session of our own keeps the statement prepared under a name of its text', async () => {
    const { pool, asked } = newPool();
    valueOf(await ask(new PgConnection(pool, { hasSessions: () => true })));
    expect(asked).toEqual([{ ...STATEMENT, values: [1] }]);
    expect(STATEMENT.name).not.toBe(makeStatement('select $2').name);
  });

  test('no statement is prepared where a proxy may change sessions', async () => {
    const { pool, asked } = newPool();
    let hasSessions = false;
    const connection = new PgConnection(pool, { hasSessions: () => hasSessions });
    valueOf(await ask(connection));
    hasSessions = true;
    valueOf(await ask(connection));
    expect(asked).toEqual(['select $1', { ...STATEMENT, values: [1] }]);
  });

  test.each(['26000', '42P05'])(
    'a session that refuses a prepared statement with %s ends, and no statement is prepared from then on',
    async (state) => {
      const { pool, asked, released } = newPool(state);
      const connection = new PgConnection(pool, { hasSessions: () => true });
      valueOf(await ask(connection));
      valueOf(await ask(connection));
      expect(asked).toEqual([{ ...STATEMENT, values: [1] }, 'select $1', 'select $1']);
      expect(released).toEqual([true, false, false]);
    },
  );
});
