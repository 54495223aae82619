import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type * as node from '../../workers/node.ts';
import type * as postgres from '../../workers/postgres.ts';
import { freePort } from './example-server.ts';
import { type OwnPool, PostgresPlace } from './postgres-place.ts';
import { runAsServer } from './postgres-server.ts';

const OPENSSL = '/usr/bin/openssl';
const here = PostgresPlace.forTests();

/** Makes a certificate that signs itself, and returns its file. The key is beside it. */
function makeCertificate(folder: string, name: string): string {
  const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  runAsServer(OPENSSL, ['req', '-x509', ...kind, ...subject, '-days', '2', '-keyout', key, '-out', file]);
  return file;
}

/** Counts the connections that are asked of a pool. */
function countConnects(pool: OwnPool): () => number {
  let count = 0;
  const connect = pool.connect.bind(pool);
  pool.connect = () => {
    count++;
    return connect();
  };
  return () => count;
}

test('a server with TLS and passwords keeps a ledger, and refuses a wrong password and a foreign certificate at once', async () => {
  test.setTimeout(300_000);
  test.skip(!existsSync(OPENSSL), 'openssl is not installed: apt-get install openssl');
  const { fromScript, openRuntime } = (await import('../../dist/node.js' as string)) as typeof node;
  const { openPostgres } = (await import('../../dist/postgres.js' as string)) as typeof postgres;
  const [folder, port] = [here.newFolder(), await freePort()];
  const server = here.newServer(here.programs, folder, { port });
  server.make();
  const [own, foreign] = [makeCertificate(folder, 'own'), makeCertificate(folder, 'foreign')];
  const rules = ['local all all trust', 'hostssl all all 127.0.0.1/32 scram-sha-256', ''];
  writeFileSync(join(folder, 'data/pg_hba.conf'), rules.join('\n'));
  const tls = ['ssl=on', `ssl_cert_file=${own}`, `ssl_key_file=${join(folder, 'own.key')}`];
  await server.start(['listen_addresses=127.0.0.1', ...tls]);
  const owner = here.newPool(server.address());
  await owner.query("create role agents login password 'right'");
  await owner.query('create database safe owner agents');
  await owner.end();

  const connect = (password: string, ssl: object | undefined) =>
    here.newPool(`postgres://agents:${password}@localhost:${port}/safe`, { ...(ssl && { ssl }) });
  const pool = connect('right', { ca: readFileSync(own) });
  const runtime = await openRuntime({ store: await openPostgres({ pool }) });
  const run = runtime.start({ dialect: 'xct', task: 'Say.', model: fromScript([{ done: true, message: 'done' }]) });
  expect(await run.result).toMatchObject({ state: 'completed' });
  expect(await runtime.ledger.fsck()).toMatchObject({ ok: true });
  const { rows } = await pool.query(
    'select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = current_user',
  );
  expect(rows).toEqual([{ ssl: true }]);
  await runtime.close();
  await pool.end();

  for (const [password, ssl, reason] of [
    ['wrong', { ca: readFileSync(own) }, /password authentication failed/],
    ['right', { ca: readFileSync(foreign) }, /self.signed certificate/],
    ['right', {}, /self.signed certificate/],
    ['right', undefined, /no encryption/],
  ] as const) {
    const refused = connect(password, ssl);
    const connects = countConnects(refused);
    const message = expect.stringMatching(reason) as unknown as string;
    await expect(openPostgres({ pool: refused })).rejects.toMatchObject({ code: 'store_unopened', message });
    // no refusal is tried again
    expect(connects()).toBe(1);
    await refused.end();
  }
});
