import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { ScaleResults } from '../../test/bench/curves/results.ts';
import { drawScale, fillScale, SCALE_PICTURES, SCALE_TEXT } from '../../test/bench/curves/tables.ts';
import { isAlive } from './is-alive.ts';
import { debianServer } from './postgres-server.ts';

const NUMBER = expect.any(Number) as unknown as number;

/** Runs `npm run test:long -- load`, and returns its last line. */
function load(...words: readonly string[]): object {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['test/load/load.mjs', ...words], {
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as object;
}

/** Expects the help of the command to name each member. */
function expectDescribed(line: object): void {
  const help = spawnSync(process.execPath, ['test/load/load.mjs', '--help'], { encoding: 'utf8' }).stdout;
  for (const member of Object.keys(line)) expect(help).toMatch(new RegExp(`^ {2}${member} `, 'm'));
}

test.beforeEach(() => {
  test.setTimeout(600_000);
  const server = debianServer();
  test.skip('reason' in server, 'reason' in server ? server.reason : '');
});

test('processes on a server that are killed and cut off lose no acknowledged record and repeat no effect', () => {
  const line = load('--minutes', '0', '--seed', '3', '--processes', '2', '--runs', '2');
  const zero = { lost: 0, half: 0, twice: 0, unrecorded: 0, broken: 0, contradicted: 0, faults: 0 };
  const disturbed = { kills: NUMBER, pauses: NUMBER, crashes: NUMBER, cuts: NUMBER, minutes: NUMBER };
  const counted = { acknowledged: NUMBER, records: NUMBER, runs: NUMBER, interruptedSteps: NUMBER };
  expect(line).toEqual({ test: 'load', ok: true, seconds: NUMBER, seed: 3, ...zero, ...disturbed, ...counted });
  expect((line as typeof counted).acknowledged).toBeGreaterThan(100);
  expectDescribed(line);
});

test('a store is measured beside bare inserts and without its parts, and its latency at sizes of the log', () => {
  const all = ['throughput', 'profile', 'latency'].flatMap((name) => ['--measure', name]);
  const line = load(...all, '--steps', '64', '--size', '1500');
  const measured = { cells: 11, worst: NUMBER, ways: 33, growth: NUMBER, size: 1_500 };
  expect(line).toEqual({ test: 'load', ok: true, seconds: NUMBER, ...measured });
  expectDescribed(line);
});

test('the curves of scale are measured in stores and in a page, and the documentation can be made from their file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-scale-'));
  try {
    const file = join(folder, 'scale.json');
    const line = load('--measure', 'scale', '--quick', '--results', file);
    expect(line).toEqual({ test: 'load', ok: true, seconds: NUMBER, series: 24, points: NUMBER });
    expectDescribed(line);
    const results = JSON.parse(readFileSync(file, 'utf8')) as ScaleResults;
    expect(results).toMatchObject({ format: 'sallyport-scale/1', isQuick: true, load: [NUMBER, NUMBER] });
    for (const [path, chart] of Object.entries(SCALE_PICTURES)) {
      const lines = results.series.filter((series) => series.chart === chart);
      expect(lines.length, chart).toBeGreaterThan(0);
      for (const { points, end } of lines) {
        expect(points.length > 0 || end.kind === 'absent').toBe(true);
        for (const [, value] of points) expect(value).toBeGreaterThan(0);
      }
      expect(drawScale(path, results)).not.toMatch(/NaN|Infinity/);
    }
    // A second process cannot open a directory.
    expect(results.series).toContainEqual(
      expect.objectContaining({
        chart: 'processes',
        name: 'a directory',
        end: { kind: 'refused', code: 'store_locked' },
      }),
    );
    expect(fillScale(readFileSync(SCALE_TEXT, 'utf8'), results)).toContain('provisional');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Process of the server that has its data below this folder; undefined until it takes connections. */
function serverBelow(folder: string): number | undefined {
  const files = readdirSync(folder).map((name) => join(folder, name, 'data/postmaster.pid'));
  const lines = files.filter(existsSync).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.some((line) => line.trim() === 'ready') ? Number(lines[0]) : undefined;
}

test('a measurement that is killed leaves no server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-killed-'));
  try {
    chmodSync(folder, 0o755);
    const env = { ...process.env, TMPDIR: folder };
    const killed = spawn(process.execPath, ['test/load/load.mjs', '--measure', 'latency'], { env, stdio: 'ignore' });
    await expect.poll(() => serverBelow(folder), { timeout: 60_000 }).toBeGreaterThan(1);
    const pid = serverBelow(folder) ?? Number.NaN;
    expect(isAlive(pid)).toBe(true);
    killed.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
