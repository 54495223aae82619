import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { killNode } from '../../test/kills/kill-node.mjs';
import { installPackage } from '../install.ts';
import { SMOKE } from '../tags.ts';
import { installNode } from './install-node.ts';
import { effectsIn, LedgerProcess } from './ledger-process.ts';

/** The lowest version of Node that has `node:sqlite`, the lines with long support behind it, and the newest. */
const VERSIONS = ['22.13.0', '22', '24', 'latest'];

let folder: string;
let installed: ReturnType<typeof installNode>;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-world-sqlite-'));
  installed = installNode(VERSIONS[0] ?? '', folder);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The binary of the first version. Skips the test where it cannot be installed. */
function node(): string {
  test.skip('reason' in installed, 'reason' in installed ? installed.reason : '');
  return 'binary' in installed ? installed.binary : '';
}

/** Environment of a process of another Node: without the runner's colours, and without the warning of Node 22. */
const env = { ...process.env, FORCE_COLOR: '0', NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };

for (const version of VERSIONS) {
  test(`the suites of the store in SQLite pass in Node ${version}`, () => {
    const found = version === VERSIONS[0] ? installed : installNode(version, folder);
    test.skip('reason' in found, 'reason' in found ? found.reason : '');
    if (!('binary' in found)) return;
    const report = join(folder, `report-${version}.json`);
    const suites = ['test/workers/store/sqlite', 'test/runtime/crash'];
    const args = ['run', '--project', 'node', ...suites, '--reporter=json', `--outputFile=${report}`];
    spawnSync(found.binary, ['node_modules/vitest/vitest.mjs', ...args], { env, encoding: 'utf8', timeout: 280_000 });
    const ended = JSON.parse(readFileSync(report, 'utf8')) as { readonly [member: string]: number | boolean };
    expect(ended).toMatchObject({ success: true, numFailedTests: 0, numPendingTests: 0 });
    expect(ended['numPassedTests']).toBeGreaterThan(80);
  });
}

test('the example of the page on SQLite runs, and prints the lines that it promises', SMOKE, () => {
  const [, code = ''] = /^```mjs\n([\s\S]*?)^```$/m.exec(readFileSync('web/docs/sqlite.md', 'utf8')) ?? [];
  const binary = node();
  const consumer = installPackage();
  writeFileSync(join(consumer, 'main.js'), code);
  const said = execFileSync(binary, ['main.js'], { cwd: consumer, encoding: 'utf8', env });
  const promised = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, words]) => words);
  expect(said.trim().split('\n')).toEqual(promised);
  expect(promised).toHaveLength(2);
  rmSync(consumer, { recursive: true, force: true });
});

function fsck(binary: string, ledger: string): { readonly status: number | null; readonly report: object } {
  const { status, stdout } = spawnSync(binary, ['dist/cli.js', 'fsck', ledger, '--json'], { encoding: 'utf8', env });
  return { status, report: JSON.parse(stdout) as object };
}

test('three processes that write runs with effects at the same time make one log, which fsck accepts meanwhile', async () => {
  const binary = node();
  const [ledger, effects] = [join(folder, 'three/ledger.sqlite'), join(folder, 'three.txt')];
  const workers = Array.from({ length: 3 }, () => new LedgerProcess(binary, env, [ledger, effects]));
  for (const worker of workers) expect((await worker.answer()).run_id).toBeDefined();
  const answers = workers.map((worker) => worker.ask('many 4 8'));
  expect(fsck(binary, ledger)).toMatchObject({ status: 0, report: { ok: true } });
  for (const { failed } of await Promise.all(answers)) expect(failed).toEqual([]);
  const steps = effectsIn(effects);
  expect(steps).toHaveLength(3 * 4 * 8);
  expect(new Set(steps).size).toBe(steps.length);
  for (const worker of workers) await worker.end();
  const { status, report } = fsck(binary, ledger);
  expect(status).toBe(0);
  expect((report as { runs: object[] }).runs).toHaveLength(3 * 5);
});

test('a process takes over the run of a process that was killed, with every acknowledged record', async () => {
  const binary = node();
  const [ledger, effects] = [join(folder, 'killed/ledger.sqlite'), join(folder, 'killed.txt')];
  const first = new LedgerProcess(binary, env, [ledger, effects]);
  const { run_id = '' } = await first.answer();
  const receipts = [await first.ask('call 1'), await first.ask('call 2')];
  await first.kill();
  const second = new LedgerProcess(binary, env, [ledger, effects, run_id]);
  expect(await second.answer()).toEqual({ run_id });
  receipts.push(await second.ask('call 3'));
  const { records = [] } = await second.ask('records');
  const hashes = records.map(({ hash }) => hash);
  expect(receipts.filter(({ receipt }) => !hashes.includes(receipt?.hash ?? ''))).toEqual([]);
  expect(effectsIn(effects)).toEqual(receipts.map(({ receipt }) => receipt?.step_id));
  await second.end();
  expect(fsck(binary, ledger)).toMatchObject({ status: 0, report: { ok: true } });
});

test('a process that was paused cannot write its run after another process has taken it over', async () => {
  const binary = node();
  const [ledger, effects] = [join(folder, 'paused/ledger.sqlite'), join(folder, 'paused.txt')];
  const first = new LedgerProcess(binary, env, [ledger, effects]);
  const { run_id = '' } = await first.answer();
  const receipts = [await first.ask('call 1')];
  first.process.kill('SIGSTOP');
  const second = new LedgerProcess(binary, env, [ledger, effects, run_id]);
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
  expect(fsck(binary, ledger)).toMatchObject({ status: 0, report: { ok: true } });
});

test('two processes on a file that are killed at random moments lose no acknowledged record', async () => {
  test.setTimeout(1_200_000);
  const binary = node();
  const options = { store: 'sqlite', node: binary, directory: join(folder, 'kills') } as const;
  const tallies = await Promise.all([killNode(30, options), killNode(30, options)]);
  for (const tally of tallies) {
    expect(tally.acknowledged).toBeGreaterThan(30);
    expect(tally).toMatchObject({ kills: 30, lost: 0, broken: 0, twice: 0 });
  }
  expect(fsck(binary, join(folder, 'kills/ledger.sqlite'))).toMatchObject({ status: 0, report: { ok: true } });
});
