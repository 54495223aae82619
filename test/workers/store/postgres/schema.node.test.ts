import { expect, test } from 'vitest';
import { openPostgres, postgresSql } from '../../../../workers/postgres.ts';
import { FORMS, VERSION } from '../../../../workers/store/postgres/schema.ts';

test('the printed SQL makes every table and names the newest version', () => {
  const sql = postgresSql();
  for (const table of ['version', 'log', 'batch', 'payload', 'row', 'claim'])
    expect(sql).toContain(`create table sallyport.${table} (`);
  expect(sql).toContain(`insert into sallyport.version (version) values (${VERSION})`);
  expect(sql).not.toContain('grant');
  expect(FORMS).toHaveLength(VERSION);
});

test('a role that appends gets no right to change or delete a record or a payload', () => {
  const sql = postgresSql({ append: 'agents' }, VERSION);
  expect(sql).toContain('grant insert on sallyport.log, sallyport.batch, sallyport.payload to "agents"');
  expect(sql.split('\n').filter((line) => /(?:update|delete)/.test(line))).toEqual([
    'grant insert, update, delete on sallyport.row, sallyport.claim to "agents";',
  ]);
});

test('a role that reads gets no right to write', () => {
  expect(postgresSql({ read: 'audit' }, VERSION)).not.toMatch(/insert|update|delete/);
});

test('the name of a role cannot leave its quotes', () => {
  expect(postgresSql({ read: 'a"; drop table t; --' }, VERSION)).toContain('to "a""; drop table t; --"');
});

const POOL = { connect: (): undefined => undefined };

test.each([
  [{}, 'pool'],
  [{ pool: {} }, 'pool'],
  [{ pool: POOL, log: '' }, 'log'],
  [{ pool: POOL, logs: 'a' }, 'logs'],
])('openPostgres refuses the options %j by the name of the option', async (options, name) => {
  await expect(openPostgres(options as never)).rejects.toMatchObject({ code: 'option_invalid', details: { name } });
});
