import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { sha256Hex } from '../../core/hash.ts';
import type * as node from '../../workers/node.ts';
import type * as postgres from '../../workers/postgres.ts';
import { installPackage } from '../install.ts';
import { SMOKE } from '../tags.ts';
import { effectsIn, LedgerProcess } from './ledger-process.ts';
import { PostgresPlace, placeOf, there } from './postgres-place.ts';
import { newestServer, runAsServer, serverUser, startPooler } from './postgres-server.ts';

const POOLER_PORT = 64_321;
const here = PostgresPlace.forTests();

interface SuiteReport {
  readonly success: boolean;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string }[] }[];
}

/** Runs the suites of the store, and expects each test to pass. */
function runSuites(address: string, owner: string): void {
  const report = join(here.newFolder(), 'report.json');
  const env = {
    ...process.env,
    SALLYPORT_PG: here.driver,
    SALLYPORT_POSTGRES: address,
    SALLYPORT_POSTGRES_OWNER: owner,
  };
  const args = ['run', '--project', 'node', 'test/workers/store/postgres', '--reporter=json', `--outputFile=${report}`];
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], { env, encoding: 'utf8', timeout: 580_000 });
  const ended = JSON.parse(readFileSync(report, 'utf8')) as SuiteReport;
  const tests = ended.testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(tests.filter(({ status }) => status !== 'passed')).toEqual([]);
  expect(tests.length).toBeGreaterThan(120);
  expect(ended.success).toBe(true);
}

test("the suites of the store pass in Debian's PostgreSQL", async () => {
  test.setTimeout(600_000);
  const address = await here.newDatabase(here.server, 'suites');
  runSuites(address, address);
});

test('the suites of the store pass in the newest PostgreSQL', async () => {
  test.setTimeout(900_000);
  const folder = here.newFolder();
  const newest = here.newServer(there(newestServer(join(folder, 'programs'))), folder);
  newest.make();
  await newest.start();
  const address = await here.newDatabase(newest, 'suites');
  runSuites(address, address);
});

test('the suites of the store pass behind a proxy that pools transactions', async () => {
  test.setTimeout(600_000);
  const pooler = await startPooler(here.server, POOLER_PORT);
  test.skip('reason' in pooler, 'reason' in pooler ? pooler.reason : '');
  const owner = await here.newDatabase(here.server, 'pooled');
  runSuites(here.server.address('pooled', POOLER_PORT), owner);
  if ('stop' in pooler) await pooler.stop();
});

test('the example of the page on PostgreSQL runs, and prints the lines that it promises', SMOKE, async () => {
  const [, code = ''] = /^```mjs\n([\s\S]*?)^```$/m.exec(readFileSync('web/docs/postgres.md', 'utf8')) ?? [];
  const address = await here.newDatabase(here.server, 'example');
  const consumer = installPackage();
  symlinkSync(join(here.driver, 'node_modules/pg'), join(consumer, 'node_modules/pg'));
  writeFileSync(join(consumer, 'main.js'), code);
  const said = execFileSync(process.execPath, ['main.js'], {
    cwd: consumer,
    encoding: 'utf8',
    env: { ...here.env, DATABASE_URL: address },
  });
  const promised = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, words]) => words);
  expect(said.trim().split('\n')).toEqual(promised);
  expect(promised).toHaveLength(2);
  rmSync(consumer, { recursive: true, force: true });
});

test('three processes go on with their runs over a server that is killed twice, and each effect happens once', async () => {
  test.setTimeout(600_000);
  const own = here.newServer(here.programs, here.newFolder());
  own.make();
  await own.start();
  const address = await here.newDatabase(own, 'three');
  const effects = join(here.newFolder(), 'effects.txt');
  writeFileSync(effects, '');
  const args = [placeOf('three', address), effects];
  const workers = Array.from({ length: 3 }, () => new LedgerProcess(process.execPath, here.env, args));
  for (const worker of workers) expect((await worker.answer()).run_id).toBeDefined();
  const answers = workers.map((worker) => worker.ask('many 4 40'));
  for (let kills = 0; kills < 2; kills++) {
    await expect.poll(() => effectsIn(effects).length).toBeGreaterThan(30 + kills * 60);
    await own.kill();
    await own.start();
  }
  for (const { failed } of await Promise.all(answers)) expect(failed).toEqual([]);
  const steps = effectsIn(effects);
  expect(steps).toHaveLength(3 * 4 * 40);
  expect(new Set(steps).size).toBe(steps.length);
  for (const worker of workers) await worker.end();
  const report = await here.fsck(address, 'three');
  expect(report).toMatchObject({ ok: true, problems: [] });
  expect(report.runs).toHaveLength(3 * 5);
});

test('a process takes over the run of a process that was killed, with every acknowledged record', async () => {
  const [address, effects] = [await here.newDatabase(here.server, 'killed'), join(here.newFolder(), 'killed.txt')];
  const args = [placeOf('killed', address), effects];
  const first = new LedgerProcess(process.execPath, here.env, args);
  const { run_id = '' } = await first.answer();
  const receipts = [await first.ask('call 1'), await first.ask('call 2')];
  await first.kill();
  const second = new LedgerProcess(process.execPath, here.env, [...args, run_id]);
  expect(await second.answer()).toEqual({ run_id });
  receipts.push(await second.ask('call 3'));
  const { records = [] } = await second.ask('records');
  const hashes = records.map(({ hash }) => hash);
  expect(receipts.filter(({ receipt }) => !hashes.includes(receipt?.hash ?? ''))).toEqual([]);
  expect(effectsIn(effects)).toEqual(receipts.map(({ receipt }) => receipt?.step_id));
  await second.end();
  expect(await here.fsck(address, 'killed')).toMatchObject({ ok: true });
});

test('a process that was paused cannot write its run after another process has taken it over', async () => {
  const [address, effects] = [await here.newDatabase(here.server, 'paused'), join(here.newFolder(), 'paused.txt')];
  const args = [placeOf('paused', address), effects];
  const first = new LedgerProcess(process.execPath, here.env, args);
  const { run_id = '' } = await first.answer();
  const receipts = [await first.ask('call 1')];
  first.process.kill('SIGSTOP');
  const second = new LedgerProcess(process.execPath, here.env, [...args, run_id]);
  expect(await second.answer()).toEqual({ run_id });
  receipts.push(await second.ask('call 2'));
  // The command waits in the input of the process when it wakes up.
  const late = first.ask('call 3');
  first.process.kill('SIGCONT');
  expect(await late).toEqual({
    code: expect.stringMatching(/^(?:run_open|log_failed|run_sealed)$/) as unknown as string,
  });
  receipts.push(await second.ask('call 4'));
  const { records = [] } = await second.ask('records');
  const recorded = records.flatMap((record) => (record.kind === 'receipt' ? [record.hash] : []));
  expect(recorded).toEqual(receipts.map(({ receipt }) => receipt?.hash));
  expect(effectsIn(effects)).toEqual(receipts.map(({ receipt }) => receipt?.step_id));
  await first.end();
  await second.end();
  expect(await here.fsck(address, 'paused')).toMatchObject({ ok: true });
});

test('a replica is read and takes no writes, and a replica without the newest records is refused with log_lost', async () => {
  test.setTimeout(600_000);
  const { programs } = here;
  const { defineTool, openRuntime } = (await import('../../dist/node.js' as string)) as typeof node;
  const { openPostgres } = (await import('../../dist/postgres.js' as string)) as typeof postgres;
  const folder = here.newFolder();
  const main = here.newServer(programs, folder);
  main.make();
  await main.start();
  const address = await here.newDatabase(main, 'moved');
  const copy = [
    '-D',
    join(folder, 'replica'),
    '-h',
    folder,
    '-p',
    `${main.port}`,
    '-U',
    'postgres',
    '-R',
    '-c',
    'fast',
  ];
  runAsServer(join(programs, 'pg_basebackup'), copy);
  const replica = here.newServer(programs, folder, { data: 'replica', port: 54_322 });
  await replica.start();

  const pool = here.newPool(address);
  const tool = defineTool({
    name: 'note.write',
    version: '1.0.0',
    description: 'Adds a line.',
    effect: 'write',
    labels: [],
    args: { type: 'object' },
    run: async () => 1,
  });
  const grants = [{ capability: 'note.write', mode: 'allow' as const }];
  const witness = join(here.newFolder(), 'witness');
  const runtime = await openRuntime({ store: await openPostgres({ pool, witness }), tools: [tool], grants });
  const session = runtime.openSession();
  await session.call('note.write', {});

  const reading = here.newPool(replica.address('moved'));
  await expect
    .poll(async () => (await reading.query('select count(*)::int as n from sallyport.batch')).rows[0]?.['n'] as number)
    .toBeGreaterThan(2);
  const reader = await openRuntime({ store: await openPostgres({ pool: reading }), tools: [tool], grants });
  expect(await reader.ledger.fsck()).toMatchObject({ ok: true });
  expect(await reader.runs()).toHaveLength(1);
  await expect(reader.openSession().call('note.write', {})).rejects.toMatchObject({ code: 'store_readonly' });
  await reader.close();

  // The replica receives no record from here on, and takes the place of the server.
  await reading.end();
  await replica.stop();
  await session.call('note.write', {});
  await main.kill();
  rmSync(join(folder, 'replica/standby.signal'));
  const next = here.newServer(programs, folder, { data: 'replica', port: main.port });
  await next.start();
  await expect(runtime.ledger.fsck()).rejects.toMatchObject({ code: 'log_lost' });
  await expect(session.call('note.write', {})).rejects.toMatchObject({ code: 'run_sealed' });
  expect(await session.run.result).toMatchObject({ state: 'failed', code: 'log_failed' });
  await runtime.close();
  await expect(openPostgres({ pool, witness })).rejects.toMatchObject({ code: 'log_lost' });
  await pool.end();
});

test('a server without room refuses with store_full, and takes the same records when there is room again', async () => {
  const disk = here.newFolder();
  const { uid = 0, gid = 0 } = serverUser() ?? {};
  const options = `size=48m,mode=700,uid=${uid},gid=${gid}`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
  test.skip(mounted.status !== 0, 'this user cannot mount a small disk');
  try {
    const owner = here.newPool(here.server.address());
    await owner.query(`create tablespace small location '${disk}'`);
    await owner.end();
    const address = await here.newDatabase(here.server, 'narrow', 'tablespace small');
    const { openPostgresStore } = await import('../../workers/store/postgres/store.ts');
    const { sampleRun } = await import('../../test/core/ledger/sample.ts');
    const pool = here.newPool(address);
    const store = await openPostgresStore({ pool, log: 'full' });
    if (!store.ok) throw new Error(store.refusal.message);
    const { run_id, batches } = sampleRun(1, 400, false);
    let at = 0;
    let refusal: string | undefined;
    const next = () => {
      const batch = batches[at] as (typeof batches)[number];
      const bytes = new Uint8Array(randomBytes(262_144));
      return { run_id, ...batch, payloads: [...batch.payloads, { sha256: sha256Hex(bytes), bytes }] };
    };
    while (at < batches.length && refusal === undefined) {
      const done = await store.value.append(next(), 'strict');
      if (done.ok) at += 1;
      else refusal = done.refusal.code;
    }
    expect(refusal).toBe('store_full');
    const found = await store.value.read(run_id);
    expect(found.ok && found.value.length).toBe(at);
    execFileSync('mount', ['-o', 'remount,size=128m', disk]);
    const again = await store.value.append(next(), 'strict');
    expect(again).toMatchObject({ ok: true });
    await store.value.close();
    await pool.end();
    const dropping = here.newPool(here.server.address());
    await dropping.query('drop database narrow with (force)');
    await dropping.query('drop tablespace small');
    await dropping.end();
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});
