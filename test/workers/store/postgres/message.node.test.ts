import { describe, expect, test } from 'vitest';
import type { PgClient } from '../../../../workers/postgres.ts';
import {
  makeStatement,
  runTogether,
  type StatementMessage,
  sessionOf,
  takesMessages,
} from '../../../../workers/store/postgres/session.ts';
import { ABSENT, directPool, HAS_SERVER, newPool } from './place.ts';

const bound = (text: string, ...values: string[]) => ({ statement: makeStatement(text), values });

describe('a driver that takes no message of a program', () => {
  test.each([
    ['no connection, as the native driver', {}],
    ['a connection without messages', { connection: {} }],
    ['a pipeline', { connection: { parse: () => undefined, stream: { cork: () => undefined } }, pipeline: true }],
  ])('a client with %s is asked for one statement at a time', async (_, client) => {
    const asked: unknown[] = [];
    const query = async (given: unknown) => {
      asked.push(given);
      return { rows: [] };
    };
    const made = { ...client, query } as unknown as PgClient;
    expect(takesMessages(made)).toBe(false);
    await sessionOf(made, false).end(bound('select $1', 'a'), [makeStatement('commit'), makeStatement('select 1')]);
    expect(asked).toEqual(['select $1', 'commit; select 1']);
  });
});

describe('a message that the driver ends', () => {
  /** A client that keeps the message that it was given. */
  function newClient() {
    const given: StatementMessage[] = [];
    return { given, client: { query: (message: StatementMessage) => given.push(message) } as unknown as PgClient };
  }

  test.each([
    ['answers', null],
    ['fails', new Error('Connection terminated')],
  ])('a function around the callback learns that the message %s', async (_, failure) => {
    const { given, client } = newClient();
    const done = runTogether(client, [bound('select 1')], false).then(
      () => null,
      (error: unknown) => error,
    );
    const [message] = given as [StatementMessage];
    const ends: unknown[] = [];
    const { callback } = message;
    message.callback = (error) => {
      ends.push(error);
      callback(error);
    };
    if (failure === null) message.handleReadyForQuery();
    else message.handleError(failure);
    expect(await done).toBe(failure);
    expect(ends).toEqual([failure]);
  });

  test('a message that met its time limit rejects, and its later answer changes nothing', async () => {
    const { given, client } = newClient();
    const done = runTogether(client, [bound('select 1')], false);
    const [message] = given as [StatementMessage];
    // as the driver does
    message.callback(new Error('Query read timeout'));
    message.callback = () => undefined;
    message.handleReadyForQuery();
    await expect(done).rejects.toThrow('Query read timeout');
  });
});

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('statements in a single message', () => {
    const pool = directPool({});
    const prepared = async (client: PgClient) =>
      (await client.query('select statement from pg_prepared_statements order by prepare_time')).rows.map(
        ({ statement }) => statement,
      );

    /** Runs a test in a session of its own, with a table of its own. */
    async function inSession(act: (client: PgClient) => Promise<void>): Promise<void> {
      const client = await pool.connect();
      try {
        await client.query('create temporary table kept (id integer primary key, bytes bytea)');
        await act(client);
      } finally {
        client.release(true);
      }
    }

    const ADD = 'insert into kept select $1::integer, $2::bytea';
    const COMMIT = { statement: makeStatement('commit'), values: [] };
    const rowsOf = async (client: PgClient) => (await client.query('select id, bytes from kept order by id')).rows;

    test('the statements run in order, with text and bytes as they are', () =>
      inSession(async (client) => {
        const bytes = Buffer.from([0, 255, 39, 92]);
        await client.query('begin');
        await runTogether(client, [{ statement: makeStatement(ADD), values: ['1', bytes] }, COMMIT], false);
        await client.query('rollback');
        expect(await rowsOf(client)).toEqual([{ id: 1, bytes }]);
        expect(await prepared(client)).toEqual([]);
      }));

    test('the statements behind one that fails do not run, and the session goes on', () =>
      inSession(async (client) => {
        await client.query('begin');
        await client.query("insert into kept values (1, '')");
        const failing = runTogether(
          client,
          [bound(ADD, '1', ''), COMMIT, bound("insert into kept values (2, '')")],
          false,
        );
        await expect(failing).rejects.toMatchObject({ code: '23505' });
        await client.query('rollback');
        expect(await rowsOf(client)).toEqual([]);
      }));

    test('a session keeps the statements of messages prepared, also where one of them failed before', () =>
      inSession(async (client) => {
        await client.query("insert into kept values (1, '')");
        await expect(runTogether(client, [bound(ADD, '1', ''), bound('select 1')], true)).rejects.toThrow();
        for (const id of ['2', '3']) await runTogether(client, [bound(ADD, id, ''), bound('select 1')], true);
        await expect(runTogether(client, [bound(ADD, '3', ''), bound('select 1')], true)).rejects.toThrow();
        await runTogether(client, [bound(ADD, '4', ''), bound('select 1')], true);
        expect((await rowsOf(client)).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
        // the first has no use any more
        expect(await prepared(client)).toEqual([ADD, ADD, 'select 1']);
      }));

    test('a message without an answer fails with the time limit of the driver', async () => {
      const client = await newPool({ query_timeout: 300 }).connect();
      try {
        await expect(runTogether(client, [bound('select pg_sleep(5)')], false)).rejects.toThrow('timeout');
      } finally {
        client.release(true);
      }
    });

    test('the driver prepares the statement of a message for itself', () =>
      inSession(async (client) => {
        const statement = makeStatement('select $1::integer');
        await runTogether(client, [{ statement, values: ['1'] }], true);
        for (const value of [2, 3]) await client.query({ ...statement, values: [value] });
        await runTogether(client, [{ statement, values: ['4'] }], true);
        expect(await prepared(client)).toEqual([statement.text, statement.text]);
      }));
  });
